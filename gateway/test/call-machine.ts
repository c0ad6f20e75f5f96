import { expect } from 'vitest';
import { projectId } from './start-machine.js';

/** Path of the list of things. */
export const things = `/dev-api/v1/p/${projectId}/things`;

/** An answer with its body read. */
export interface MachineAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly code: string | undefined;
  /** Faults as `path code`. */
  readonly details: string[];
  readonly json: { request_id: string; data: unknown; error: { code: string; message: string } };
}

/** What a call carries; the key of the developer who may do everything unless given, none when empty. */
export interface MachineCall {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly json?: unknown;
}

/** Calls the machine, and checks what every answer has. */
export async function callMachine(
  url: string,
  method: string,
  path: string,
  { key = 'dev', headers, body, json }: MachineCall = {},
): Promise<MachineAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const parsed = text === '' ? {} : JSON.parse(text);
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (text !== '') expect(parsed.request_id).toBe(response.headers.get('x-request-id'));
  return {
    status: response.status,
    headers: response.headers,
    code: parsed.error?.code,
    details: (parsed.error?.details ?? []).map(
      (detail: { path: string; code: string }) => `${detail.path} ${detail.code}`,
    ),
    json: parsed,
  };
}
