import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** A point as an ordinary contract would have it: messages in messages. */
export interface NestedPoint {
  readonly atUs: number;
  readonly instrumentName: string;
  readonly variables: readonly { readonly name: string; readonly value: number }[];
}

/** What is sent: many points. */
export interface NestedPoints {
  readonly points: readonly NestedPoint[];
}

function readVariable(reader: BinaryReader, end: number): NestedPoint['variables'][number] {
  const variable = { name: '', value: 0 };
  while (reader.pos < end) {
    if (reader.uint32() === 10) variable.name = reader.string();
    else variable.value = reader.double();
  }
  return variable;
}

function readPoint(reader: BinaryReader, end: number): NestedPoint {
  const variables: NestedPoint['variables'][number][] = [];
  const point = { atUs: 0, instrumentName: '', variables };
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 8) point.atUs = Number(reader.int64());
    else if (tag === 18) point.instrumentName = reader.string();
    else variables.push(readVariable(reader, reader.uint32() + reader.pos));
  }
  return point;
}

/** Writes and reads it as ts-proto's code for `int64 at_us = 1; string instrument_name = 2; repeated Variable variables = 3` does. */
export const nestedPoints = {
  encode({ points }: NestedPoints): BinaryWriter {
    const writer = new BinaryWriter();
    for (const { atUs, instrumentName, variables } of points) {
      writer.uint32(10).fork().uint32(8).int64(atUs).uint32(18).string(instrumentName);
      for (const { name, value } of variables)
        writer.uint32(26).fork().uint32(10).string(name).uint32(17).double(value).join();
      writer.join();
    }
    return writer;
  },
  decode(input: Uint8Array): NestedPoints {
    const reader = new BinaryReader(input);
    const points: NestedPoint[] = [];
    while (reader.pos < reader.len) {
      reader.uint32();
      points.push(readPoint(reader, reader.uint32() + reader.pos));
    }
    return { points };
  },
  fromPartial: (points: NestedPoints): NestedPoints => points,
};
