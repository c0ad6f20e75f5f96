import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import { ConfigError } from '../config/index.js';
import { createInstruments, processMetrics } from '../metrics/index.js';

type Provider = experimental.CertificateProvider;
type AuthorityListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** Where the certificate of a process, its key and the authority of its peers stand (PEM). */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

type Read = Readonly<Record<keyof CertificateFiles, Buffer>>;

const settingOf = { certificate: 'TLS_CERT_FILE', key: 'TLS_KEY_FILE', authority: 'TLS_CA_FILE' } as const;

function read(files: CertificateFiles): Read {
  const readOne = (name: keyof CertificateFiles): Buffer => {
    try {
      return readFileSync(files[name]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigError([`${settingOf[name]}: the file ${files[name]} cannot be read: ${code}`]);
    }
  };
  return { certificate: readOne('certificate'), key: readOne('key'), authority: readOne('authority') };
}

/**
 * The certificate of this process and the authority of its peers, for connections and servers of gRPC. `refresh` takes up what
 * has changed in the files, for connections from then on: a certificate is renewed without a restart.
 */
export class Certificates implements Provider {
  readonly #files: CertificateFiles;
  readonly #authorityListeners = new Set<AuthorityListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  #read: Read;

  /** @throws ConfigError when a file cannot be read, or they do not fit each other */
  constructor(files: CertificateFiles) {
    this.#files = files;
    this.#read = this.#readAnew();
  }

  /**
   * Reads the files again, and says whether they have changed.
   *
   * @throws ConfigError when one cannot be read or they do not fit each other: what was read before stays in use
   */
  refresh(): boolean {
    const before = this.#read;
    this.#read = this.#readAnew();
    if ((['certificate', 'key', 'authority'] as const).every((name) => before[name].equals(this.#read[name])))
      return false;
    for (const listener of this.#authorityListeners) this.#tellAuthority(listener);
    for (const listener of this.#identityListeners) this.#tellIdentity(listener);
    return true;
  }

  addCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.add(listener);
    // grpc-js is not ready to be told before
    queueMicrotask(() => this.#tellAuthority(listener));
  }

  removeCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    queueMicrotask(() => this.#tellIdentity(listener));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  #tellAuthority(listener: AuthorityListener): void {
    listener({ caCertificate: this.#read.authority });
  }

  #tellIdentity(listener: IdentityListener): void {
    listener({ certificate: this.#read.certificate, privateKey: this.#read.key });
  }

  #readAnew(): Read {
    const found = read(this.#files);
    try {
      createSecureContext({ cert: found.certificate, key: found.key, ca: found.authority });
    } catch (error) {
      throw new ConfigError([`TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE: ${(error as Error).message}`]);
    }
    const { certificateExpiry } = createInstruments(processMetrics);
    certificateExpiry.set(Date.parse(new X509Certificate(found.certificate).validTo) / 1000);
    return found;
  }
}
