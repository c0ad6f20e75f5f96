import { experimental, ServerCredentials } from '@grpc/grpc-js';
import { ChannelCredentials } from 'nice-grpc';
import { ConfigError, type ConfigOf, type peerSettings, type serverSettings } from '../config/index.js';
import { type BackgroundLoop, startLoop } from '../lifecycle/index.js';
import type { Logger } from '../log/index.js';
import { Certificates } from './certificates.js';

/** Kubernetes brings a renewed Secret to its pods within a minute or two. */
const refreshMs = 30_000;

/** What the processes of a deployment know each other by: mutual TLS with certificates of one authority. */
interface Peers {
  readonly certificates: Certificates;
  readonly serverName: string;
}

let peers: Peers | undefined;

/** Settings by which a process knows its peers; those of the server are there where it has one of gRPC. */
type PeerConfig = ConfigOf<typeof peerSettings> & Partial<ConfigOf<typeof serverSettings>>;

/** Addresses that nobody calls from another machine. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]):/;

/** A server that anybody could call is one that somebody has asked for. */
function requirePlainWanted({ rpcPlain, listenAddress = '' }: PeerConfig): void {
  if (rpcPlain !== false || loopback.test(listenAddress)) return;
  throw new ConfigError([
    `LISTEN_ADDRESS is "${listenAddress}", where anybody may call who reaches it: give TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE, so that peers alone are answered. RPC_PLAIN=true answers everybody, for a network that keeps others out; an address such as 127.0.0.1:50051 answers this machine alone.`,
  ]);
}

/**
 * Makes this process show its certificate to whatever it calls and ask for one of whoever calls it, from the
 * next connection and server on. Without files it does neither: for a loopback that nobody else is on.
 *
 * @throws ConfigError when only some files are given, one cannot be read or they do not fit each other; when none are, and others than this machine could call
 */
export function usePeers(config: PeerConfig): void {
  const { tlsCertFile, tlsKeyFile, tlsCaFile, tlsServerName } = config;
  const given = [tlsCertFile, tlsKeyFile, tlsCaFile].filter((file) => file !== '').length;
  if (given !== 0 && given !== 3)
    throw new ConfigError(['TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE: give all three, or none']);
  if (given === 0) requirePlainWanted(config);
  peers =
    given === 0
      ? undefined
      : {
          certificates: new Certificates({ certificate: tlsCertFile, key: tlsKeyFile, authority: tlsCaFile }),
          serverName: tlsServerName,
        };
}

/** Takes up certificates that are renewed, until disposed: connections and servers show them from their next handshake on. */
export function watchPeers(log: Logger, intervalMs = refreshMs): BackgroundLoop {
  return startLoop({
    name: 'certificates',
    intervalMs,
    work: async () => {
      if (peers?.certificates.refresh()) log.info('the certificates have changed');
    },
    onError: (error) => log.warn({ err: error }, 'the certificates cannot be read again; those of before are used'),
  });
}

/** Credentials of a connection to a service, and the name that its certificate must carry. */
export function channelCredentials(): { readonly credentials: ChannelCredentials; readonly options: object } {
  if (peers === undefined) return { credentials: ChannelCredentials.createInsecure(), options: {} };
  const { certificates, serverName } = peers;
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(certificates, certificates),
    options: { 'grpc.ssl_target_name_override': serverName },
  };
}

/** Credentials of a server: callers must show a certificate of the deployment's authority. */
export function serverCredentials(): ServerCredentials {
  if (peers === undefined) return ServerCredentials.createInsecure();
  const { certificates } = peers;
  return experimental.createCertificateProviderServerCredentials(certificates, certificates, true);
}
