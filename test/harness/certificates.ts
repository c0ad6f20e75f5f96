import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files of a certificate. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** An authority of a test's own, which nobody believes who is not told to. */
export interface Authority extends Certificate {
  /** Makes a certificate of it, for a name such as `DNS:weir` or `IP:127.0.0.1`. */
  issue(file: string, name: string): Promise<Certificate>;
}

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** Makes an authority; its files, and those of its certificates, stand in the directory. */
export async function createAuthority(directory: string): Promise<Authority> {
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
  const filesOf = (name: string): Certificate => ({
    certificate: join(directory, `${name}.pem`),
    key: join(directory, `${name}.key`),
  });
  const ca = filesOf('authority');
  await openssl('req', '-x509', ...key, '-keyout', ca.key, '-out', ca.certificate, '-subj', '/CN=authority');
  return {
    ...ca,
    async issue(file, name) {
      const issued = filesOf(file);
      await openssl(
        ...['req', '-x509', ...key, '-CA', ca.certificate, '-CAkey', ca.key, '-subj', `/CN=${file}`],
        ...['-addext', `subjectAltName=${name}`, '-addext', 'basicConstraints=critical,CA:false'],
        ...['-keyout', issued.key, '-out', issued.certificate],
      );
      return issued;
    },
  };
}
