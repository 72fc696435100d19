// Frames of the long connection as bytes, by a schema of our own: proto2, required fields required, unknown fields refused.

export interface Frame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  /** 0 control, 1 data. */
  readonly method: number;
  readonly headers: readonly (readonly [key: string, value: string])[];
  readonly payloadEncoding?: string;
  readonly payloadType?: string;
  readonly payload?: Uint8Array;
  readonly logIdNew?: string;
}

export function encodeFrame(frame: Frame): Uint8Array {
  const parts: Uint8Array[] = [
    varintField(1, frame.seqId),
    varintField(2, frame.logId),
    varintField(3, BigInt(frame.service)),
    varintField(4, BigInt(frame.method)),
    ...frame.headers.map(([key, value]) =>
      bytesField(5, Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value))])),
    ),
  ];
  if (frame.payloadEncoding !== undefined) parts.push(bytesField(6, Buffer.from(frame.payloadEncoding)));
  if (frame.payloadType !== undefined) parts.push(bytesField(7, Buffer.from(frame.payloadType)));
  if (frame.payload !== undefined) parts.push(bytesField(8, frame.payload));
  if (frame.logIdNew !== undefined) parts.push(bytesField(9, Buffer.from(frame.logIdNew)));
  return Buffer.concat(parts);
}

/** Throws on bytes that are no frame: a missing required field, a field that is not of the schema, a broken length. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const numbers = new Map<number, bigint>();
  const blobs = new Map<number, Uint8Array>();
  const headers: [string, string][] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number >= 1 && field.number <= 4 && typeof field.value === "bigint")
      numbers.set(field.number, field.value);
    else if (field.number === 5 && typeof field.value !== "bigint") headers.push(headerOf(field.value));
    else if (field.number >= 6 && field.number <= 9 && typeof field.value !== "bigint")
      blobs.set(field.number, field.value);
    else throw new Error(`field ${field.number} is none of a frame's`);
  }
  const required = (number: number): bigint => {
    const value = numbers.get(number);
    if (value === undefined) throw new Error(`required field ${number} is missing`);
    return value;
  };
  const text = (number: number): string | undefined => {
    const blob = blobs.get(number);
    return blob === undefined ? undefined : utf8(blob);
  };
  const [payloadEncoding, payloadType, logIdNew, payload] = [text(6), text(7), text(9), blobs.get(8)];
  return {
    seqId: required(1),
    logId: required(2),
    service: Number(BigInt.asIntN(32, required(3))),
    method: Number(BigInt.asIntN(32, required(4))),
    headers,
    ...(payloadEncoding === undefined ? {} : { payloadEncoding }),
    ...(payloadType === undefined ? {} : { payloadType }),
    ...(payload === undefined ? {} : { payload }),
    ...(logIdNew === undefined ? {} : { logIdNew }),
  };
}

export function headerOfFrame(frame: Frame, key: string): string | undefined {
  return frame.headers.find(([name]) => name === key)?.[1];
}

function headerOf(bytes: Uint8Array): [string, string] {
  const found = new Map<number, string>();
  for (const { number, value } of fieldsOf(bytes)) {
    if ((number !== 1 && number !== 2) || typeof value === "bigint") throw new Error("a header has a key and a value");
    found.set(number, utf8(value));
  }
  const [key, value] = [found.get(1), found.get(2)];
  if (key === undefined || value === undefined) throw new Error("a header has a key and a value");
  return [key, value];
}

interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new Error("a number breaks off");
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, type] = [Number(tag >> 3n), Number(tag & 7n)];
    if (type === 0) yield { number, value: varint() };
    else if (type === 2) {
      const length = Number(varint());
      if (at + length > bytes.length) throw new Error("a field breaks off");
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    } else throw new Error(`wire type ${type} is none of a frame's`);
  }
}

function varintField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number << 3)), varint(BigInt.asUintN(64, value))]);
}

function bytesField(number: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
