// Statements: bytes and back, and what is refused; the encoding that is signed, against the library's.

import { dsse } from "@sigstore/core";
import { expect, it } from "vitest";
import { preAuthEncoding } from "../../../src/tuner/trust/dsse.ts";
import {
  decisionsPredicate,
  decodeDecisionsStatement,
  decodeKernelStatement,
  statementBytes,
  statementType,
} from "../../../src/tuner/trust/statement.ts";
import { kernelStatement } from "./sample-statement.ts";

const { predicate } = kernelStatement;
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

it("is decoded as it was encoded, and has one text", () => {
  expect(decodeKernelStatement(statementBytes(kernelStatement))).toEqual({ value: kernelStatement });
  const reversed = Object.fromEntries(Object.entries(kernelStatement).reverse()) as typeof kernelStatement;
  expect(statementBytes(reversed)).toEqual(statementBytes(kernelStatement));
});

it.each<[string, unknown, RegExp]>([
  ["another type", { ...kernelStatement, _type: "https://in-toto.io/Statement/v0.1" }, /_type must be/],
  ["another predicate", { ...kernelStatement, predicateType: decisionsPredicate }, /predicateType must be/],
  ["an unknown field", { ...kernelStatement, note: 1 }, /note must be absent/],
  ["an unknown fact", { ...kernelStatement, predicate: { ...predicate, note: 1 } }, /predicate\.note must be absent/],
  ["no subject", { ...kernelStatement, subject: [] }, /one file or more/],
  ["a file twice", { ...kernelStatement, subject: [0, 0].map(() => kernelStatement.subject[0]) }, /each once/],
  ["another digest", { ...kernelStatement, subject: [{ name: "a", digest: { sha1: "0" } }] }, /must be absent/],
  ["a path that leads elsewhere", { ...kernelStatement, subject: [{ name: "../a", digest: {} }] }, /path of a file/],
  [
    "a size below nothing",
    { ...kernelStatement, predicate: { ...predicate, sizes: { "blobs/addon": -1 } } },
    /integer/,
  ],
  ["a huge size", { ...kernelStatement, predicate: { ...predicate, sizes: { "blobs/addon": 1e15 } } }, /integer in/],
  ["a control character", { ...kernelStatement, predicate: { ...predicate, builder: "\u001b[31m" } }, /plain char/],
  ["another time", { ...kernelStatement, predicate: { ...predicate, time: "yesterday" } }, /a time in ISO 8601/],
])("with %s is refused", (_, value, why) => {
  expect(decodeKernelStatement(bytesOf(value))).toEqual({ why: expect.stringMatching(why) });
});

it("of more than 65536 bytes is refused before it is read", () => {
  expect(decodeKernelStatement(Buffer.alloc(70_000, "["))).toEqual({ why: "it has more than 65536 bytes" });
});

it("on a kernel is none on decisions, and the other way round", () => {
  const decisions = {
    _type: statementType,
    subject: kernelStatement.subject,
    predicateType: decisionsPredicate,
    predicate: { decisions: 3, builder: "b", time: predicate.time },
  } as const;
  expect(decodeDecisionsStatement(statementBytes(decisions))).toEqual({ value: decisions });
  expect(decodeKernelStatement(statementBytes(decisions))).toEqual({ why: expect.stringContaining("predicateType") });
  expect(decodeDecisionsStatement(statementBytes(kernelStatement))).toMatchObject({ why: expect.any(String) });
});

it("is signed in the encoding of the library", () => {
  const payload = statementBytes(kernelStatement);
  for (const type of ["application/vnd.in-toto+json", "é"])
    expect(preAuthEncoding(type, payload)).toEqual(dsse.preAuthEncoding(type, payload));
});
