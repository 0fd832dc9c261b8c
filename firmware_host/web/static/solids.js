// Solids with shadows: a small WebGL 2 renderer. Lengths in mm, z up; matrices column by column.
// What has no colour of its own lets the page behind the canvas through, darker where a shadow falls.
import { looking, orthographic, times } from "/static/matrices.js";

const SHADOW = 1024; // half of it where the machine is slow
const FLOATS = 20; // of one that is drawn: three axes and a place, colour, colour of its mark, which mark, gloss
const PARTS = [["at", 3], ["normal", 3], ["uv", 2], ["mx", 3], ["my", 3], ["mz", 3], ["mt", 3], ["tint", 3], ["ink", 3], ["look", 2]];
const CORNER = 3; // the first parts are each corner's, the others each solid's
const VERTEX = `#version 300 es
in vec3 at, normal, mx, my, mz, mt, tint, ink; in vec2 uv, look;
uniform mat4 eye, sun;
out vec3 where, facing, lit, colour, mark; out vec2 on, drawn;
void main() {
  mat3 turn = mat3(mx, my, mz);
  where = turn * at + mt;
  facing = turn * normal;
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
  pixel = vec4(pow(base * (sky + max(dot(n, light), 0.0) * sunny * 0.85) + shine, vec3(1.0 / 1.1)), 1.0);
}`;
const DEPTH_VERTEX = `#version 300 es
in vec3 at, mx, my, mz, mt; uniform mat4 eye;
void main() { gl_Position = eye * vec4(mat3(mx, my, mz) * at + mt, 1.0); }`;
const DEPTH_FRAGMENT = `#version 300 es
precision mediump float; void main() {}`;

/** Solids of one shape; `add` each of them anew for every picture. */
class Kind {
  constructor(gl, shape, shade, options) {
    Object.assign(this, { gl, count: 0, data: new Float32Array(FLOATS * 8) }, options);
    this.buffer = gl.createBuffer();
    this.full = this.array(shape);
    this.shade = shade === shape ? this.full : this.array(shade);
  }

  array({ corners, triangles }) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(triangles), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW);
    let offset = 0;
    PARTS.forEach(([, size], at) => {
      if (at === CORNER) {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        offset = 0;
      }
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, at < CORNER ? 32 : 4 * FLOATS, offset);
      gl.vertexAttribDivisor(at, at < CORNER ? 0 : 1);
      offset += 4 * size;
    });
    return { array, count: triangles.length };
  }

  /** One at [x, y, z], turned by the quaternion [w, x, y, z]; `mark` is a cell of the marks' texture, -1 none. */
  add([px, py, pz], [w, x, y, z], colour, ink = colour, mark = -1, gloss = 0.1) {
    if ((this.count + 1) * FLOATS > this.data.length) {
      const more = new Float32Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    const { data } = this;
    let at = FLOATS * this.count;
    for (const value of [
      1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y),
      px, py, pz, colour[0], colour[1], colour[2], ink[0], ink[1], ink[2], mark, gloss,
    ]) {
      data[at] = value;
      at += 1;
    }
    this.count += 1;
  }

  upload() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, FLOATS * this.count), gl.STREAM_DRAW);
  }
}

export class Solids {
  /** Throws where there is no WebGL 2. */
  constructor(canvas) {
    this.canvas = canvas;
    // smooth edges cost a processor that draws by itself too much
    const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true }) ?? canvas.getContext("webgl2", { antialias: false });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.kinds = [];
    this.calls = 0; // of the last picture
    this.program = this.compiled(VERTEX, FRAGMENT);
    this.depth = this.compiled(DEPTH_VERTEX, DEPTH_FRAGMENT);
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
    PARTS.forEach(([name], at) => gl.bindAttribLocation(program, at, name));
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
    if (this.shadow) {
      gl.deleteTexture(this.shadow.texture);
      gl.deleteFramebuffer(this.shadow.frame);
    }
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.shadow = { texture, frame, size };
  }

  /** Of that shape; `shade`: a simpler one that casts its shadow. `through`: only shadows are seen on it. */
  kind(shape, { shade = shape, casts = true, through = false } = {}) {
    const kind = new Kind(this.gl, shape, shade, { casts, through });
    this.kinds.push(kind);
    return kind;
  }

  /** `image`: a canvas, or {width, height, bytes} of RGBA. */
  texture(name, image) {
    const { gl } = this;
    this.textures[name] ??= gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, !image.bytes);
    if (image.bytes) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, image.width, image.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, image.bytes);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  }

  /** As many pixels as the screen has, up to `most` for each of the page's, or a share of them; shadows are coarser
   * where that is less than `coarse`. */
  fit(most, share, coarse) {
    const { canvas } = this;
    this.coarse = share < coarse;
    const ratio = Math.min(devicePixelRatio, most) * share;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((each) => Math.max(1, Math.round(each * ratio)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  }

  /** Everything that was added. `view`: {eye, from, light, reach, grid, pitch, seen, count}. */
  draw(view) {
    const { gl, canvas } = this;
    const size = this.coarse ? SHADOW / 2 : SHADOW;
    if (this.shadow?.size !== size) this.shadowMap(size);
    const kinds = this.kinds.filter(({ count }) => count);
    for (const kind of kinds) kind.upload();
    const sun = times(orthographic(view.reach, 1, 4 * view.reach), looking(view.light.map((each) => each * 2 * view.reach), [0, 0, 0]));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, size, size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.program);
    gl.uniformMatrix4fv(this.depth.uniforms.eye, false, sun);
    const casting = kinds.filter(({ casts }) => casts);
    for (const { shade, count } of casting) this.instances(shade, count);
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
    gl.uniformMatrix4fv(at.eye, false, view.eye);
    gl.uniformMatrix4fv(at.sun, false, sun);
    gl.uniform3fv(at.from, view.from);
    gl.uniform3fv(at.light, view.light);
    gl.uniform2fv(at.grid, view.grid);
    gl.uniform1i(at.finely, this.coarse ? 0 : 1);
    for (const name of ["pitch", "seen", "count"]) gl.uniform1f(at[name], view[name]);
    for (const { full, count, through } of kinds) {
      gl.uniform1i(at.through, through ? 1 : 0);
      this.instances(full, count);
    }
    for (const kind of kinds) kind.count = 0;
    this.calls = kinds.length + casting.length;
  }

  instances({ array, count: corners }, count) {
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.drawElementsInstanced(gl.TRIANGLES, corners, gl.UNSIGNED_SHORT, 0, count);
  }
}
