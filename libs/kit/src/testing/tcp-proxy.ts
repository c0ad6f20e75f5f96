import { connect, createServer, type Socket } from 'node:net';

/** What a proxy does to what passes through it. */
export type Fault =
  | { readonly kind: 'none' }
  /** Each piece comes so much later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Nothing passes, and nobody is told: connections stay, and new ones are taken. */
  | { readonly kind: 'black-hole' }
  /** What the server says is lost, what the client says arrives. */
  | { readonly kind: 'half-open' }
  /** Connections end with a reset, new ones at once. */
  | { readonly kind: 'reset' }
  /** A connection is reset after the server has said so many bytes. */
  | { readonly kind: 'reset-after'; readonly bytes: number };

/** A server in front of another that does to its connections what a bad network does. */
export interface TcpProxy extends AsyncDisposable {
  /** host:port of its own. */
  readonly address: string;
  /** What it stands in front of, host:port; connections before it is told are reset. */
  target: string | undefined;
  /**
   * Begins a fault, and ends the one before. Healing a black hole or a half-open link lets new connections pass; those there were stay
   * dead, as after a firewall has forgotten them.
   */
  begin(fault: Fault): void;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing passes any more, whatever comes after. */
  isDead: boolean;
  said: number;
  /** What comes later, of each side: nothing overtakes it, whatever the fault is by then. */
  readonly late: { readonly client: Buffer[]; readonly server: Buffer[] };
}

/** Starts a proxy that does nothing to what passes. */
export async function startTcpProxy(target?: string): Promise<TcpProxy> {
  const links = new Set<Link>();
  let fault: Fault = { kind: 'none' };
  let to = target;

  const pass = (link: Link, from: 'client' | 'server', bytes: Buffer): void => {
    const receiver = from === 'client' ? link.server : link.client;
    if (link.isDead || fault.kind === 'black-hole' || (fault.kind === 'half-open' && from === 'server')) {
      link.isDead = true;
      return;
    }
    const late = link.late[from];
    if (fault.kind === 'latency' || late.length > 0) {
      late.push(bytes);
      const next = (): void => {
        const first = late.shift();
        if (first !== undefined && !receiver.destroyed) receiver.write(first);
      };
      setTimeout(next, fault.kind === 'latency' ? fault.ms : 0);
      return;
    }
    if (fault.kind === 'reset-after' && from === 'server') {
      const left = fault.bytes - link.said;
      link.said += bytes.length;
      if (bytes.length < left) return void receiver.write(bytes);
      const reset = (): void => void link.client.resetAndDestroy();
      if (left > 0) receiver.write(bytes.subarray(0, left), () => setImmediate(reset));
      else reset();
      return;
    }
    receiver.write(bytes);
  };

  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => undefined);
    if (to === undefined || fault.kind === 'reset') return void client.resetAndDestroy();
    const at = to.lastIndexOf(':');
    const link: Link = {
      client,
      server: connect({ host: to.slice(0, at), port: Number(to.slice(at + 1)), noDelay: true }),
      isDead: false,
      said: 0,
      late: { client: [], server: [] },
    };
    links.add(link);
    link.server.on('error', () => client.resetAndDestroy());
    client.on('data', (bytes) => pass(link, 'client', bytes));
    link.server.on('data', (bytes) => pass(link, 'server', bytes));
    client.on('close', () => {
      links.delete(link);
      link.server.destroy();
    });
    link.server.on('close', () => {
      // the end of a connection is lost as well
      if (!link.isDead) client.destroySoon();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    address: `127.0.0.1:${port}`,
    get target() {
      return to;
    },
    set target(address) {
      to = address;
    },
    begin(next) {
      // whoever waits behind a dead link waits on, healed or not
      if (next.kind === 'black-hole') for (const link of links) link.isDead = true;
      fault = next;
      if (next.kind === 'reset') for (const { client } of links) client.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { client, server: upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
      await closed;
    },
  };
}
