import { integer, text, url } from '@weir/kit/config';

/** Settings of rates, concurrency and the Redis that the gateways share both through. */
export const limitSettings = {
  redisUrl: {
    env: 'REDIS_URL',
    doc: 'Redis, through which all gateways share their limits.',
    grammar: url('redis', 'rediss'),
    secret: true,
  },
  redisKeyPrefix: {
    env: 'REDIS_KEY_PREFIX',
    doc: 'First part of every key in Redis, so that several deployments can share a server.',
    grammar: text,
    default: 'weir',
  },
  gatewayReplicas: {
    env: 'GATEWAY_REPLICAS',
    doc: 'How many gateways run: without Redis each allows its share of a limit.',
    grammar: integer(1, 1000),
    default: '1',
  },
  developerRequestsPerSecond: {
    env: 'LIMIT_DEVELOPER_REQUESTS_PER_SECOND',
    doc: 'Requests a second that one Developer API key may make in the long run.',
    grammar: integer(1, 1_000_000),
    default: '200',
  },
  developerRequestsBurst: {
    env: 'LIMIT_DEVELOPER_REQUESTS_BURST',
    doc: 'Requests that one Developer API key may make at once after a pause.',
    grammar: integer(1, 1_000_000),
    default: '1000',
  },
  developerConcurrentRequests: {
    env: 'LIMIT_DEVELOPER_CONCURRENT_REQUESTS',
    doc: 'Requests of one Developer API key that may be in progress at a time, in all gateways together.',
    grammar: integer(1, 100_000),
    default: '100',
  },
  developerConcurrentExports: {
    env: 'LIMIT_DEVELOPER_CONCURRENT_EXPORTS',
    doc: 'Exports of one Developer API key that may be in progress at a time, in all gateways together.',
    grammar: integer(1, 1000),
    default: '2',
  },
  ingestionRequestsPerSecond: {
    env: 'LIMIT_INGESTION_REQUESTS_PER_SECOND',
    doc: 'Requests a second that one ingestion connection may make in the long run.',
    grammar: integer(1, 1_000_000),
    default: '2000',
  },
  ingestionRequestsBurst: {
    env: 'LIMIT_INGESTION_REQUESTS_BURST',
    doc: 'Requests that one ingestion connection may make at once after a pause.',
    grammar: integer(1, 1_000_000),
    default: '10000',
  },
  ingestionConcurrentRequests: {
    env: 'LIMIT_INGESTION_CONCURRENT_REQUESTS',
    doc: 'Requests of one ingestion connection that may be in progress at a time, in all gateways together.',
    grammar: integer(1, 100_000),
    default: '1000',
  },
  failedCredentialsPerMinute: {
    env: 'LIMIT_FAILED_CREDENTIALS_PER_MINUTE',
    doc: 'Calls a minute without a valid key that one address may make in the long run; a valid key is never refused for them.',
    grammar: integer(1, 1_000_000),
    default: '60',
  },
  failedCredentialsBurst: {
    env: 'LIMIT_FAILED_CREDENTIALS_BURST',
    doc: 'Calls without a valid key that one address may make at once after a pause.',
    grammar: integer(1, 1_000_000),
    default: '100',
  },
} as const;
