import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { TsProtoServiceDefinition } from 'nice-grpc';

type MessageType = TsProtoServiceDefinition['methods'][string]['requestType'];

/** The memory of the writer is not kept where a message was longer. */
const keptBytesMax = 1024 * 1024;

/** Writes one message after the other; its memory has grown to what they need. */
let writer = new BinaryWriter();

/** As ts-proto makes it; nice-grpc does not tell of the writer. */
type Encode = (message: unknown, writer: BinaryWriter) => BinaryWriter;

/** The bytes of a message, and nothing else in their memory. */
function write(encode: Encode, message: unknown): Uint8Array<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = encode(message, writer).finish();
    return bytes;
  } finally {
    // one that failed has left a part of its message behind
    if (bytes === undefined || bytes.length > keptBytesMax) writer = new BinaryWriter();
  }
}

function withOneWriter(type: MessageType): MessageType {
  const encode = type.encode as unknown as Encode;
  // nice-grpc has Buffer.from make of it what gRPC wants, which copies an array, and takes its memory as it is
  const finish = (message: unknown) => write(encode, message).buffer as unknown as Uint8Array;
  return { ...type, encode: (message) => ({ finish: () => finish(message) }) };
}

/**
 * A service whose messages are written by one writer of the process. With a writer for each, as nice-grpc does it, a long
 * message is copied twice more and leaves several times its length behind as garbage.
 */
export function writtenByOne<S extends TsProtoServiceDefinition>(definition: S): S {
  const methods = Object.entries(definition.methods).map(([name, method]) => [
    name,
    {
      ...method,
      requestType: withOneWriter(method.requestType),
      // answers are whole, and need not be copied into whole ones
      responseType: { ...withOneWriter(method.responseType), fromPartial: undefined },
    },
  ]);
  return { ...definition, methods: Object.fromEntries(methods) };
}
