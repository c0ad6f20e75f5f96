import { BlockList, isIP } from 'node:net';

/** Tells the address of a client from that of its connection and its `X-Forwarded-For`. */
export type ClientAddress = (remote: string | undefined, forwardedFor: string | undefined) => string;

/** An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** An element of X-Forwarded-For without a port; undefined when it is no address. */
function forwardedAddress(element: string): string | undefined {
  const text = element.trim();
  const bare = /^\[(.*)\](:[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plain(bare);
}

/** Whether a text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/**
 * The client is the last address that no trusted proxy has: `X-Forwarded-For` is read from its end,
 * and only as far as trusted proxies wrote it.
 *
 * @param trusted - addresses and networks of proxies, each fulfilling `isNetwork`
 */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const network of trusted) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    proxies.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  const isTrusted = (address: string): boolean => proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return (remote, forwardedFor) => {
    let address = plain(remote ?? '');
    if (trusted.length === 0 || forwardedFor === undefined || isIP(address) === 0) return address;
    for (const element of forwardedFor.split(',').reverse()) {
      if (!isTrusted(address)) break;
      const before = forwardedAddress(element);
      if (before === undefined) break;
      address = before;
    }
    return address;
  };
}
