// A small WebGL 2 renderer of solids with shadows. Lengths are in mm, and z is up. Surfaces without
// a colour let the page behind the canvas through, darkened by shadows.

export const minus = (a, b) => a.map((each, at) => each - b[at]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((each) => each / Math.hypot(...a));

/** Convert a quaternion [w, x, y, z] to a matrix. */
export const turned = (w, x, y, z) =>
  new DOMMatrix().rotateAxisAngle(x, y, z, (360 / Math.PI) * Math.atan2(Math.hypot(x, y, z), w));

/** Transform a point or, with `w` 0, a direction.
 * @param {DOMMatrix} m @param {number[]} point */
export function through(m, point, w = 1) {
  const [x, y, z] = point;
  const at = m.transformPoint({ x, y, z, w });
  return [at.x, at.y, at.z];
}

/** Return the matrix to the axes of an eye at `from` that looks at `at`: x right, y up, z
 * backwards. */
export function looking(from, at) {
  const z = unit(minus(from, at));
  const x = unit(cross([0, 0, 1], z));
  const y = cross(z, x);
  return new DOMMatrix([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, from), -dot(y, from), -dot(z, from), 1]);
}

/** Return a perspective matrix. `slope` is that of the picture's upper edge, and `aspect` its width
 * divided by its height. */
export const perspective = (slope, aspect, near, far) =>
  new DOMMatrix([1 / slope / aspect, 0, 0, 0, 0, 1 / slope, 0, 0, 0, 0, (far + near) / (near - far),
    -1, 0, 0, (2 * far * near) / (near - far), 0]);

const SHADOW = 1024;
// Numbers for each solid: matrix, colour, colour of the mark, index of the mark, gloss.
const FLOATS = 24;
// Location of each attribute; a matrix takes four.
const PARTS = { at: 0, normal: 1, uv: 2, place: 3, tint: 7, ink: 8, look: 9 };
const SIZES = [3, 3, 2, 4, 4, 4, 4, 3, 3, 2];
const CORNER = 3; // The first attributes belong to each corner, the others to each solid.
const VERTEX = `#version 300 es
in mat4 place; in vec3 at, normal, tint, ink; in vec2 uv, look;
uniform mat4 eye, sun;
out vec3 where, facing, lit, colour, mark; out vec2 on, drawn;
void main() {
  where = (place * vec4(at, 1.0)).xyz;
  facing = mat3(place) * normal;
  on = uv; colour = tint; mark = ink; drawn = look;
  lit = (sun * vec4(where + facing * 0.9, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = eye * vec4(where, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 where, facing, lit, colour, mark; in vec2 on, drawn;
uniform vec3 from, light;
uniform bool through, finely;
uniform sampler2D marks, field;
uniform sampler2DShadow shade;
uniform vec2 grid; uniform float pitch, seen, count;
out vec4 pixel;
float sunlight() {
  if (lit != clamp(lit, 0.0, 1.0)) return 1.0;
  vec3 spot = lit - vec3(0.0, 0.0, 0.0008);
  if (!finely) return texture(shade, spot);
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 off = (vec2(i & 1, i >> 1) - 0.5) * 1.6 / vec2(textureSize(shade, 0));
    sum += texture(shade, vec3(spot.xy + off, spot.z));
  }
  return sum * 0.25;
}
void main() {
  vec3 n = normalize(facing);
  float sunny = sunlight();
  if (through) { // the plate's top: felt and lights are the page's
    float dark = 1.0 - (0.56 + 0.44 * sunny) * clamp(0.4 + 0.6 * dot(n, light) / light.z, 0.0, 1.0);
    float much = 0.0;
    vec3 pole = vec3(0.0);
    if (seen > 0.0) {
      vec2 felt = texture(field, (on / pitch + grid * 0.5) / grid).rg;
      float mt = felt.r - felt.g;
      pole = mt < 0.0 ? vec3(0.95, 0.5, 0.08) : vec3(0.16, 0.5, 0.98);
      much = min(0.8, pow(abs(mt), 0.6));
    }
    pixel = vec4(pole * much * (1.0 - dark), much + dark - much * dark);
    return;
  }
  vec3 base = colour;
  if (drawn.x >= 0.0 && max(abs(on.x), abs(on.y)) < 0.7) {
    vec2 sign = texture(marks, vec2((drawn.x + on.x / 1.4 + 0.5) / count, on.y / 1.4 + 0.5)).rg;
    base = mix(mix(base, vec3(1.0, 0.96, 0.88), sign.g), mark, sign.r);
  }
  vec3 eyeward = normalize(from - where);
  float shine = pow(max(dot(n, normalize(light + eyeward)), 0.0), 40.0) * drawn.y * sunny;
  vec3 sky = mix(vec3(0.30, 0.25, 0.22), vec3(0.52, 0.53, 0.56), n.z * 0.5 + 0.5);
  pixel = vec4(pow(base * (sky + max(dot(n, light), 0.0) * sunny * 0.85) + shine, vec3(1.0 / 1.1)),
    1.0);
}`;
const DEPTH_VERTEX = `#version 300 es
in mat4 place; in vec3 at; uniform mat4 eye;
void main() { gl_Position = eye * place * vec4(at, 1.0); }`;
const DEPTH_FRAGMENT = `#version 300 es
precision mediump float; void main() {}`;

/** All solids of one shape. Call `add` for each of them before every picture. */
class Kind {
  constructor(gl, { corners, triangles }, options) {
    /** @type {WebGL2RenderingContext} */ this.gl = gl;
    this.count = 0;
    this.data = new Float32Array(FLOATS * 8);
    Object.assign(this, options);
    this.buffer = gl.createBuffer();
    this.array = gl.createVertexArray();
    this.corners = triangles.length;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW);
    let offset = 0;
    SIZES.forEach((size, at) => {
      if (at === CORNER) {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        offset = 0;
      }
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, at < CORNER ? 32 : 4 * FLOATS, offset);
      gl.vertexAttribDivisor(at, at < CORNER ? 0 : 1);
      offset += 4 * size;
    });
  }

  /** Add a solid with that matrix; `mark` is a cell of the marks' texture, or -1. */
  add(place, colour, ink = colour, mark = -1, gloss = 0.1) {
    const at = FLOATS * this.count;
    if (at + FLOATS > this.data.length) {
      const more = new Float32Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    this.data.set([...place.toFloat32Array(), ...colour, ...ink, mark, gloss], at);
    this.count += 1;
  }

  upload() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, FLOATS * this.count), gl.STREAM_DRAW);
  }

  draw() {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.drawElementsInstanced(gl.TRIANGLES, this.corners, gl.UNSIGNED_SHORT, 0, this.count);
  }
}

export class Solids {
  /** Throws an Error if there is no WebGL 2. */
  constructor(canvas) {
    this.canvas = canvas;
    // Smooth edges are too slow without a graphics chip.
    const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true })
      ?? canvas.getContext("webgl2", { antialias: false });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.kinds = new Map();
    this.program = this.compiled(VERTEX, FRAGMENT);
    this.depth = this.compiled(DEPTH_VERTEX, DEPTH_FRAGMENT);
    this.shadow = this.shadowMap();
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
    for (const [name, at] of Object.entries(PARTS)) gl.bindAttribLocation(program, at, name);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let at = 0; at < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); at += 1) {
      const { name } = gl.getActiveUniform(program, at);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  shadowMap() {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame };
  }

  /** Return the kind of that name, which `shape()` makes once. `onlyShadows`: the solid shows
   * shadows alone and casts none. */
  kind(name, shape, onlyShadows = false) {
    if (!this.kinds.has(name)) this.kinds.set(name, new Kind(this.gl, shape(), { onlyShadows }));
    return this.kinds.get(name);
  }

  /** Load a texture from a canvas or from {width, height, bytes} of RGBA. */
  texture(name, image) {
    const { gl } = this;
    this.textures[name] ??= gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, !image.bytes);
    if (image.bytes)
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, image.width, image.height, 0, gl.RGBA,
        gl.UNSIGNED_BYTE, image.bytes);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    // Mipmaps keep fine marks clean at a distance.
    if (!image.bytes) gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER,
      image.bytes ? gl.LINEAR : gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
      gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  }

  /** Fit the canvas to the screen's pixels, at most `most` for each of the page's, times `share`.
   * Below the share `coarse` the shadows are coarser. */
  fit(most, share, coarse) {
    const { canvas } = this;
    this.coarse = share < coarse;
    const ratio = Math.min(devicePixelRatio, most) * share;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight]
      .map((each) => Math.max(1, Math.round(each * ratio)));
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
  }

  /** Draw everything that was added. `view` is {eye, from, light, reach, grid, pitch, seen, count}.
   * */
  draw(view) {
    const { gl, canvas } = this;
    const kinds = [...this.kinds.values()].filter(({ count }) => count);
    for (const kind of kinds) kind.upload();
    const sun = new DOMMatrix().scale(1 / view.reach, 1 / view.reach, -1 / (2 * view.reach))
      .translate(0, 0, 2 * view.reach)
      .multiply(looking(view.light.map((each) => each * 2 * view.reach), [0, 0, 0]))
      .toFloat32Array();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.program);
    gl.uniformMatrix4fv(this.depth.uniforms.eye, false, sun);
    // Only back faces cast shadows, so that no face shadows itself.
    gl.cullFace(gl.FRONT);
    for (const kind of kinds) if (!kind.onlyShadows) kind.draw();
    gl.cullFace(gl.BACK);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { program, uniforms: at } = this.program;
    gl.useProgram(program);
    [this.shadow.texture, this.textures.marks, this.textures.field].forEach((texture, unit_) => {
      gl.activeTexture(gl.TEXTURE0 + unit_);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    ["shade", "marks", "field"].forEach((name, unit_) => gl.uniform1i(at[name], unit_));
    gl.activeTexture(gl.TEXTURE0);
    gl.uniformMatrix4fv(at.eye, false, view.eye.toFloat32Array());
    gl.uniformMatrix4fv(at.sun, false, sun);
    gl.uniform3fv(at.from, view.from);
    gl.uniform3fv(at.light, view.light);
    gl.uniform2fv(at.grid, view.grid);
    gl.uniform1i(at.finely, this.coarse ? 0 : 1);
    for (const name of ["pitch", "seen", "count"]) gl.uniform1f(at[name], view[name]);
    for (const kind of kinds) {
      gl.uniform1i(at.through, kind.onlyShadows ? 1 : 0);
      kind.draw();
      kind.count = 0;
    }
  }
}
