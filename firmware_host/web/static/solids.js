// Solids with shadows: a small WebGL 2 renderer. Lengths in mm, z up; matrices column by column.

const SHADOW = 1024; // half of it where the machine is slow
const VERTEX = `#version 300 es
in vec3 at; in vec3 normal; in vec2 uv;
uniform mat4 model, eye, sun;
out vec3 where, facing; out vec2 on; out vec4 lit;
void main() {
  vec4 world = model * vec4(at, 1.0);
  where = world.xyz;
  facing = mat3(model) * normal;
  on = uv;
  lit = sun * (world + vec4(normalize(facing) * 0.9, 0.0));
  gl_Position = eye * world;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 where, facing; in vec2 on; in vec4 lit;
uniform vec3 colour, mark, from, light;
uniform int kind; // 0 plain, 1 a piece, 2 the plate's top
uniform sampler2D top, lamps, field;
uniform sampler2DShadow shade;
uniform vec2 grid; uniform float pitch, seen, gloss, room;
out vec4 pixel;
float sunlight() {
  vec3 spot = lit.xyz / lit.w * 0.5 + 0.5;
  if (spot != clamp(spot, 0.0, 1.0)) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 off = (vec2(i & 1, i >> 1) - 0.5) * 1.6 / vec2(textureSize(shade, 0));
    sum += texture(shade, vec3(spot.xy + off, spot.z - 0.0008));
  }
  return sum * 0.25;
}
void main() {
  vec3 n = normalize(facing), base = colour, glow = vec3(0.0);
  if (kind == 1) { // a ring and a bar, so that a turn is seen
    float r = length(on);
    if (r <= 1.0 && ((r > 0.62 && r < 0.72) || (abs(on.y) < 0.07 && on.x > 0.1 && r < 0.62))) base = mark;
  } else if (kind == 2) {
    base = texture(top, on / (grid * pitch + 30.0) + 0.5).rgb;
    vec2 g = on / pitch + (grid - 1.0) * 0.5;
    vec2 cell = clamp(floor(g + 0.5), vec2(0.0), grid - 1.0);
    float away = length(g - cell);
    vec4 lamp = texelFetch(lamps, ivec2(cell), 0);
    glow = lamp.rgb * (smoothstep(0.5, 0.12, away) * 0.95);
    vec4 felt = texture(field, (g + 0.5) / grid);
    float mt = (felt.r - felt.g) * seen;
    vec3 pole = mt < 0.0 ? vec3(0.95, 0.5, 0.08) : vec3(0.16, 0.5, 0.98);
    base = mix(base, pole, min(0.85, pow(abs(mt), 0.6)));
  }
  vec3 eyeward = normalize(from - where);
  float sunny = max(dot(n, light), 0.0) * sunlight();
  float shine = pow(max(dot(n, normalize(light + eyeward)), 0.0), 48.0) * gloss * sunlight();
  vec3 sky = mix(vec3(0.30, 0.25, 0.22), vec3(0.52, 0.53, 0.56), n.z * 0.5 + 0.5) * room;
  pixel = vec4(pow(base * (sky + sunny * 0.85) + glow + shine, vec3(1.0 / 1.1)), 1.0);
}`;
const DEPTH_VERTEX = `#version 300 es
in vec3 at; uniform mat4 model, eye;
void main() { gl_Position = eye * model * vec4(at, 1.0); }`;
const DEPTH_FRAGMENT = `#version 300 es
precision mediump float; void main() {}`;

export const times = (a, b) => {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let k = 0; k < 4; k += 1) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
};

export const moved = (x, y, z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);

export function turned(w, x, y, z) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, 0, 0, 0, 1,
  ]);
}

/** About x, then about the turned y, then about the turned z; radians. */
export function attitude([a, b, c]) {
  const about = (angle, axis) => {
    const [w, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
    return turned(w, ...[0, 1, 2].map((at) => (at === axis ? s : 0)));
  };
  return times(times(about(a, 0), about(b, 1)), about(c, 2));
}

export const minus = (a, b) => a.map((each, at) => each - b[at]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((each) => each / Math.hypot(...a));

/** A point or (`w` 0) a direction through a matrix that only turns and moves; `back`: the other way. */
export function through(m, [x, y, z], w = 1) {
  return [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w);
}
export function back(m, p, w = 1) {
  const away = minus(p, [m[12] * w, m[13] * w, m[14] * w]);
  return [0, 1, 2].map((column) => dot([m[4 * column], m[4 * column + 1], m[4 * column + 2]], away));
}

export function looking(from, at) {
  const z = unit(minus(from, at));
  const x = unit(cross([0, 0, 1], z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, from), -dot(y, from), -dot(z, from), 1,
  ]);
}

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([
    f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

function orthographic(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}

/** A disc about z, its middle in the origin, with a bevel; on its ends `uv` goes from -1 to 1. */
export function disc(radius, height, sides = 28) {
  const out = [];
  const bevel = Math.min(1.2, height / 5);
  // rings from the middle below to the middle above: radius, z, and the direction of the surface
  const rings = [[0, -1, 0, -1], [radius - bevel, -1, 0, -1], [radius, -1, 1, 0, bevel], [radius, 1, 1, 0, -bevel], [radius - bevel, 1, 0, 1], [0, 1, 0, 1]]
    .map(([r, end, out_, up, inset = 0]) => ({ r, z: (end * height) / 2 + inset, out: out_, up }));
  const corner = ({ r, z, out: away, up }, angle) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [r * c, r * s, z, away * c, away * s, up, ...(up ? [(r * c) / radius, (r * s) / radius] : [2, 2])];
  };
  for (let ring = 0; ring + 1 < rings.length; ring += 1) {
    for (let side = 0; side < sides; side += 1) {
      const [a, b] = [side, side + 1].map((at) => (2 * Math.PI * at) / sides);
      const [low, high] = [rings[ring], rings[ring + 1]];
      const four = [corner(low, a), corner(low, b), corner(high, b), corner(high, a)];
      if (low.r > 0) out.push(...four[0], ...four[1], ...four[2]); // else it has no area
      if (high.r > 0) out.push(...four[0], ...four[2], ...four[3]);
    }
  }
  return new Float32Array(out);
}

/** A box between two corners; `uv` is x and y. */
export function box([x0, y0, z0], [x1, y1, z1]) {
  const out = [];
  const face = (normal, ...corners) => {
    for (const at of [0, 1, 2, 0, 2, 3]) out.push(...corners[at], ...normal, corners[at][0], corners[at][1]);
  };
  face([0, 0, 1], [x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]);
  face([0, 0, -1], [x0, y1, z0], [x1, y1, z0], [x1, y0, z0], [x0, y0, z0]);
  face([0, -1, 0], [x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]);
  face([0, 1, 0], [x1, y1, z0], [x0, y1, z0], [x0, y1, z1], [x1, y1, z1]);
  face([-1, 0, 0], [x0, y1, z0], [x0, y0, z0], [x0, y0, z1], [x0, y1, z1]);
  face([1, 0, 0], [x1, y0, z0], [x1, y1, z0], [x1, y1, z1], [x1, y0, z1]);
  return new Float32Array(out);
}

export class Solids {
  /** Throws where there is no WebGL 2. */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.program = this.compiled(VERTEX, FRAGMENT);
    this.depth = this.compiled(DEPTH_VERTEX, DEPTH_FRAGMENT);
    this.shadow = this.shadowMap(SHADOW);
    this.textures = {};
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
  }

  compiled(...sources) {
    const { gl } = this;
    const program = gl.createProgram();
    [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((type, at) => {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, sources[at]);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    ["at", "normal", "uv"].forEach((name, at) => gl.bindAttribLocation(program, at, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let at = 0; at < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); at += 1) {
      const { name } = gl.getActiveUniform(program, at);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  shadowMap(size) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame, size };
  }

  mesh(corners) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    [[0, 3, 0], [1, 3, 12], [2, 2, 24]].forEach(([at, size, offset]) => {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 32, offset);
    });
    return { array, count: corners.length / 8 };
  }

  /** `image`: a canvas, or {width, height, bytes} of RGBA. */
  texture(name, image, smooth) {
    const { gl } = this;
    this.textures[name] ??= gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, !image.bytes);
    if (image.bytes) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, image.width, image.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, image.bytes);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    const filter = smooth ? gl.LINEAR : gl.NEAREST;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  }

  /** As many pixels as the screen has, up to `most` for each of the page's, or a share of them. */
  fit(most, share) {
    const { canvas } = this;
    if (share < 0.7 && this.shadow.size === SHADOW) this.shadow = this.shadowMap(SHADOW / 2);
    const ratio = Math.min(devicePixelRatio, most) * share;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((each) => Math.max(1, Math.round(each * ratio)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    return width / height;
  }

  /** `solids`: {mesh, shade (a simpler one that casts its shadow), model, colour, mark, kind, gloss}; `view`: {eye, from, light, reach, grid, pitch, seen, room}. */
  draw(solids, view) {
    const { gl, canvas } = this;
    const sun = times(orthographic(view.reach, 1, 4 * view.reach), looking(view.light.map((each) => each * 2 * view.reach), [0, 0, 0]));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, this.shadow.size, this.shadow.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.program);
    gl.uniformMatrix4fv(this.depth.uniforms.eye, false, sun);
    for (const { mesh, shade = mesh, model, casts = true } of solids) {
      if (!casts) continue;
      gl.uniformMatrix4fv(this.depth.uniforms.model, false, model);
      gl.bindVertexArray(shade.array);
      gl.drawArrays(gl.TRIANGLES, 0, shade.count);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { program, uniforms: at } = this.program;
    gl.useProgram(program);
    [this.shadow.texture, this.textures.top, this.textures.lamps, this.textures.field].forEach((texture, unit_) => {
      gl.activeTexture(gl.TEXTURE0 + unit_);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    ["shade", "top", "lamps", "field"].forEach((name, unit_) => gl.uniform1i(at[name], unit_));
    gl.activeTexture(gl.TEXTURE0);
    gl.uniformMatrix4fv(at.eye, false, view.eye);
    gl.uniformMatrix4fv(at.sun, false, sun);
    gl.uniform3fv(at.from, view.from);
    gl.uniform3fv(at.light, view.light);
    gl.uniform2fv(at.grid, view.grid);
    for (const name of ["pitch", "seen", "room"]) gl.uniform1f(at[name], view[name]);
    for (const { mesh, model, colour, mark = colour, kind = 0, gloss = 0.1 } of solids) {
      gl.uniformMatrix4fv(at.model, false, model);
      gl.uniform3fv(at.colour, colour);
      gl.uniform3fv(at.mark, mark);
      gl.uniform1i(at.kind, kind);
      gl.uniform1f(at.gloss, gloss);
      gl.bindVertexArray(mesh.array);
      gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
    }
  }
}
