/** Settings of a session by which a client that vanished without a word (a lost node) gives back its locks within two minutes. */
export const vanishedClients = {
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
} as const;

/** Settings of a session as libpq's `options` take them. */
export function sessionOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
