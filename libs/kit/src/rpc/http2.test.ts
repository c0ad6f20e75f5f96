import { once } from 'node:events';
import { connect } from 'node:http2';
import { expect, it } from 'vitest';
import { createLogger } from '../log/index.js';
import { receiveWindowBytes } from './http2.js';
import { startRpcServer } from './index.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Whether Node tells of streams (its #58390). */
const tellsOfStreams = major >= 24 || (major === 22 && minor >= 17);

it.runIf(tellsOfStreams)(
  'lets a client send a mebibyte from its first call on before it must wait for the server to read',
  async () => {
    await using server = await startRpcServer({
      listenAddress: '127.0.0.1:0',
      services: [],
      isReady: async () => undefined,
      log: createLogger('test', 'warn'),
      drainMs: 0,
    });
    const session = connect(`http://${server.address}`);
    try {
      await once(session, 'remoteSettings');
      const widened = once(session, 'remoteSettings');
      session.request({
        ':method': 'POST',
        ':path': '/grpc.health.v1.Health/Check',
        'content-type': 'application/grpc',
      });
      await widened;
      expect(session.remoteSettings.initialWindowSize).toBe(receiveWindowBytes);
      await expect.poll(() => session.state.remoteWindowSize).toBe(receiveWindowBytes);
    } finally {
      session.destroy();
    }
  },
);
