// The form of a text that pages load: short names, no white space, only parentheses that matter. That it computes the same is seen where
// texts are run, in operators.test.ts and drawn.test.ts.

import { describe, expect, test } from "vitest";
import {
  generateKernel,
  instantiate,
  instantiateTemplate,
  opLibrary,
  shortWgsl,
  type WgslSource,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

const sourceOf = (text: string, ...entries: readonly string[]): WgslSource => ({
  ...{ kind: "wgsl", name: "f", parameters: [], scratch: [], features: [], shuffleLanes: 0 },
  text,
  launches: entries.map((entry) => ({ entry, grid: [1, 1, 1], arrays: [] })),
});

const short = (text: string): string => shortWgsl(sourceOf(text)).text;

/** What a statement becomes, of locals that are not declared here and so keep their names. */
const statement = (text: string): string => /\{(.*)\}/s.exec(short(`fn f() {\n  ${text}\n}`))![1]!;

describe("parentheses", () => {
  test.each([
    // Those that change nothing go.
    ["x = ((p * q) + r);", "x=p*q+r;"],
    ["x = (p + (q * r));", "x=p+q*r;"],
    ["x = (((p + q) + r) - s);", "x=p+q+r-s;"],
    ["x = ((p * q) / r);", "x=p*q/r;"],
    ["x = max((p + q), (r));", "x=max(p+q,r);"],
    ["x = m[((i * 4) + j)];", "x=m[i*4+j];"],
    ["return (p);", "return p;"],
    ["x = (p & (q >> 1u));", "x=p&(q>>1u);"],
    // Those that change an order, a sign or a bracket stay.
    ["x = (p + (q + r));", "x=p+(q+r);"],
    ["x = (p - (q - r));", "x=p-(q-r);"],
    ["x = (p * (q * r));", "x=p*(q*r);"],
    ["x = (p * (q + r));", "x=p*(q+r);"],
    ["x = ((p + q) * r);", "x=(p+q)*r;"],
    ["x = (p / (q * r));", "x=p/(q*r);"],
    ["x = (-(p + q));", "x=-(p+q);"],
    ["x = (-(p * q));", "x=-(p*q);"],
    ["x = (p - (-q));", "x=p-(-q);"],
    ["x = (!(p == q));", "x=!(p==q);"],
    ["x = select(p, q, (r < s));", "x=select(p,q,(r<s));"],
    ["x = vec2<bool>((p < q), (r > s));", "x=vec2<bool>((p<q),(r>s));"],
    ["x = ((p + q)).y;", "x=(p+q).y;"],
    ["x = ((p << 2u) + q);", "x=(p<<2u)+q;"],
    ["x = ((p + q) & 2u);", "x=(p+q)&2u;"],
    ["x = ((p + q) << 2u);", "x=((p+q)<<2u);"],
    ["if ((p < q)) { x = r; }", "if((p<q)){x=r;}"],
  ])("%s", (given, expected) => {
    expect(statement(given)).toBe(expected);
  });
});

describe("assignments", () => {
  test.each([
    ["x = (x + (p * q));", "x+=p*q;"],
    ["x = (x - p);", "x-=p;"],
    ["x = (x * p);", "x*=p;"],
    ["y = 1.0f; x = (x + p);", "y=1f;x+=p;"],
    ["x = ((x + p) + q);", "x=x+p+q;"],
    ["x = (x * p) + q;", "x=x*p+q;"],
    ["x = (p + x);", "x=p+x;"],
    ["x = (x / p);", "x=x/p;"],
    ["m[i] = (m[i] + p);", "m[i]=m[i]+p;"],
    ["x = abs(x + p);", "x=abs(x+p);"],
  ])("%s", (given, expected) => {
    expect(statement(given)).toBe(expected);
  });

  test("a sum that a local begins with is none", () => {
    expect(short("fn f() { var x = 1; { let y = (x + 2); } }")).toBe("fn Z(){var a=1;{let b=a+2;}}");
  });
});

describe("tokens", () => {
  test.each([
    ["x = 0.0f;", "x=0f;"],
    ["x = 1.0f + 0.5f + 10.25f + 1e-7f + 0x7fu + 31u;", "x=1f+.5f+10.25f+1e-7f+0x7fu+31u;"],
    ["x = p - -q;", "x=p- -q;"],
    ["x = vec4<f32>(vec2<i32>(p), vec3<u32>(q), vec2<bool>(r));", "x=vec4f(vec2i(p),vec3u(q),vec2<bool>(r));"],
    ["x = bitcast<vec2<f32>>(p);", "x=bitcast<vec2f>(p);"],
    ["// a comment\n  x = p; // and another", "x=p;"],
    ["if (p) { x = q; } else { return; }", "if(p){x=q;}else{return;}"],
    ["atomicOr(&m[i >> 2u], ~(255u << s));", "atomicOr(&m[i>>2u],~(255u<<s));"],
  ])("%s", (given, expected) => {
    expect(statement(given)).toBe(expected);
  });

  test("a buffer that is only read says no more than that", () => {
    const text =
      "@group(0) @binding(1) var<storage, read> A_: array<vec4<f32>>;\nvar<workgroup> s_: array<atomic<u32>, 8>;\n";
    expect(short(text)).toBe("@group(0)@binding(1)var<storage>Z:array<vec4f>;var<workgroup>Y:array<atomic<u32>,8>;");
  });
});

describe("names", () => {
  test("members, attributes and functions of the language keep theirs", () => {
    const text = `fn uk_signed(x: f32, sign: f32) -> f32 { return x * sign; }
@compute @workgroup_size(8, 1, 1) fn f_0(@builtin(workgroup_id) workgroup_id: vec3<u32>) { let x = sign(f32(workgroup_id.x)); }`;
    const { text: shorter, launches } = shortWgsl(sourceOf(text, "f_0"));
    expect(shorter).toBe(
      "fn Z(a:f32,b:f32)->f32{return a*b;}@compute@workgroup_size(8,1,1)fn Y(@builtin(workgroup_id)a:vec3u){let b=sign(f32(a.x));}",
    );
    expect(launches).toEqual([{ entry: "Y", grid: [1, 1, 1], arrays: [] }]);
  });

  test("no two names of a function are the same, nor a word of the language, however many there are", () => {
    const count = 4000;
    const text = `fn f() {\n${Array.from({ length: count }, (_, at) => `let uk_v${at} = ${at};`).join("\n")}\n}`;
    const names = [...short(text).matchAll(/let (\w+)=/g)].map(([, name]) => name!);
    expect(new Set(names).size).toBe(count);
    expect(names.filter((name) => /^(as|do|fn|if|is|of|or|let|var|for|abs|min|max|sin|fma)$/.test(name))).toEqual([]);
  });
});

describe("values", () => {
  /** The body of a function with parameters `p`, a vector, and `i` and `j`. */
  const body = (text: string): string =>
    /\{(.*)\}/s.exec(
      short(`var<storage, read> m: array<vec2<f32>>;\nfn f(p: vec4<f32>, i: i32, j: i32) {\n  ${text}\n}`),
    )![1]!;

  test.each([
    // A member of what does not change, and what an earlier local has, are said where they are used.
    ["let x = p.y; y = x + x;", "y=a.y+a.y;"],
    ["var q = p; let x = q.y; q = p + p; y = x;", "var d=a;let e=d.y;d=a+a;y=e;"],
    ["let x = i + j; let y = i + j; z = x * y;", "let d=b+c;z=d*d;"],
    ["let x = min(i, j); { let y = min(i, j); z = y; }", "let d=min(b,c);{z=d;}"],
    ["{ let x = i + j; z = x; } let y = i + j; z = y;", "{let d=b+c;z=d;}let e=b+c;z=e;"],
    ["var q = i; let x = q + j; q = j; let y = q + j; z = x * y;", "var d=b;let e=d+c;d=c;let f=d+c;z=e*f;"],
    // Memory may have changed in between.
    ["let x = m[i]; m[i] = z; let y = m[i]; z = x * y;", "let d=Z[b];Z[b]=z;let e=Z[b];z=d*e;"],
    // What indices begin with, one number behind it.
    ["z = m[i * 8 + j]; z = m[i * 8 + j + 16];", "let d=b*8+c;z=Z[d];z=Z[d+16];"],
    ["z = m[i * 8 + j - 3];", "z=Z[b*8+c-3];"],
    ["let x = i * 8 + j; z = m[i * 8 + j + 1]; z = m[i * 8 + j + 2];", "let d=b*8+c;z=Z[d+1];z=Z[d+2];"],
    [
      "for (var k = 0; k < 4; k++) { z = m[i * 8 + j]; z = m[i * 8 + k]; z = m[i * 8 + k + 1]; } z = m[i * 8 + j + 1];",
      "let d=b*8+c;for(var e=0;e<4;e++){z=Z[d];let f=b*8+e;z=Z[f];z=Z[f+1];}z=Z[d+1];",
    ],
    ["var k = 0; z = m[i * 8 + k]; k = 1; z = m[i * 8 + k + 1];", "var d=0;z=Z[b*8+d];d=1;z=Z[b*8+d+1];"],
    // Locals that are needed no more give their names to others of their type.
    ["let x = m[i]; y = x; let z = m[j]; y = z;", "var d=Z[b];y=d;d=Z[c];y=d;"],
    ["let x = m[i]; let z = m[j]; y = x; y = z;", "let d=Z[b];let e=Z[c];y=d;y=e;"],
    ["let x = m[i]; let z = vec2<f32>(x.y, 1.0f); y = z;", "var d=Z[b];d=vec2f(d.y,1f);y=d;"],
    ["let x = m[i]; y = x; let z = vec4<f32>(0.0f); y = z;", "let d=Z[b];y=d;let e=vec4f(0f);y=e;"],
    ["let x = m[i]; if (y) { y = x; } let z = m[j]; y = z;", "var d=Z[b];if(y){y=d;}d=Z[c];y=d;"],
  ])("%s", (given, expected) => {
    expect(body(given)).toBe(expected);
  });
});

test("a product of matrices is a third as long, and says the same again when it is shortened once more", () => {
  const op = instantiate(opLibrary.gemm({ M: 64, N: 64, K: 64 }), {}, "gemm");
  const { templates } = generateSpace({ op, target: webgpu, numerics: "fast", threads: 1 });
  for (const { model, instructions } of templates) {
    const point = sample(compileModel(model), createRng(1));
    if (point.kind !== "found") throw new Error(point.kind);
    const kernel = generateKernel(op, instantiateTemplate(instructions, point.assignment), webgpu, {
      numerics: "fast",
      verify: false,
    });
    if (kernel.kind !== "ok") continue;
    const source = kernel.source as WgslSource;
    const once = shortWgsl(source);
    expect(once.text.length).toBeLessThan(0.4 * source.text.length);
    expect(shortWgsl(once)).toEqual(once);
    for (const { entry } of once.launches) expect(once.text).toContain(`fn ${entry}(`);
  }
});
