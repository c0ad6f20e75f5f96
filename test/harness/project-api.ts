import { apiOf, type RequestOptions } from './api.js';
import type { Tenant } from './tenant.js';

/** What an operation of the Developer API answers. */
export interface Reply {
  readonly status: number;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly error:
    | { readonly code: string; readonly details: { path: string; code: string; message: string }[] }
    | undefined;
}

/** The Developer API of one project; paths begin below it. */
export interface ProjectApi {
  /** One call; the status is the caller's to judge. */
  call(method: string, path: string, json?: unknown, options?: Omit<RequestOptions, 'json'>): Promise<Reply>;
  /** The data of a call that must succeed. */
  done(method: string, path: string, json?: unknown): Promise<Reply['data']>;
}

/** The Developer API of a gateway for one tenant's project. */
export function projectApiOf(gatewayUrl: string, tenant: Tenant): ProjectApi {
  const api = apiOf(gatewayUrl, tenant);
  const call: ProjectApi['call'] = async (method, path, json, options = {}) => {
    const { status, body } = await api.request<Pick<Reply, 'data' | 'error'>>(
      method,
      `/dev-api/v1/p/${tenant.projectId}${path}`,
      { ...options, ...(json === undefined ? {} : { json }) },
    );
    return { status, data: body.data, error: body.error };
  };
  return {
    call,
    async done(method, path, json) {
      const { status, data, error } = await call(method, path, json);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(error)}`);
      return data;
    },
  };
}
