import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { rawRequest } from './raw-request.js';
import { projectId, startMachine } from './start-machine.js';
import { waiting } from './waiting-operation.js';

const head = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: weir', 'Authorization: Bearer dev', ...headers].join('\r\n')}\r\n\r\n`;
const list = head(`/dev-api/v1/p/${projectId}/things`);
const last = head(`/dev-api/v1/p/${projectId}/things`, 'Connection: close');

describe('connections beyond the bound', () => {
  /** Connects, and tells when the server ended it. */
  const held = async (port: number, bytes = '') => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return { socket, closed: once(socket.resume(), 'close') };
  };

  test('take the place of those that were idle longest, and never of one with a request in progress', async () => {
    const { operations: all, isEntered, leave } = waiting();
    await using machine = await startMachine({ operations: all, connectionsMax: 4 });
    const working = rawRequest(machine.port, [head('/wait', 'Connection: close')]);
    await isEntered;
    const unused = await held(machine.port);
    const dripping = await held(machine.port, 'GET / HT');
    const answered = await held(machine.port, list);
    await once(answered.socket, 'data');
    // each finds four connections, and ends one of the idle: first who came first
    for (const longest of [unused, dripping, answered]) {
      expect((await rawRequest(machine.port, [last])).map(({ status }) => status)).toEqual([200]);
      await longest.closed;
      await held(machine.port);
    }
    leave();
    expect((await working).map(({ status }) => status)).toEqual([200]);
  });

  test('are closed where all have a request in progress', async () => {
    const { operations: all, isEntered, leave } = waiting();
    await using machine = await startMachine({ operations: all, connectionsMax: 1 });
    const working = rawRequest(machine.port, [head('/wait', 'Connection: close')]);
    await isEntered;
    await (await held(machine.port)).closed;
    leave();
    expect((await working).map(({ status }) => status)).toEqual([200]);
    expect((await rawRequest(machine.port, [last])).map(({ status }) => status)).toEqual([200]);
  });
});
