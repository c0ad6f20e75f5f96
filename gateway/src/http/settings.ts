import { boolean, type Grammar, integer, list, oneOf, url } from '@weir/kit/config';
import { isNetwork } from './client-address.js';

const networks: Grammar<readonly string[]> = {
  accepts: 'a comma-separated list of addresses or networks such as 10.0.0.0/8, possibly empty',
  parse: (text) => {
    const items = list.parse(text);
    return items?.every(isNetwork) === true ? items : undefined;
  },
};

const origins: Grammar<readonly string[]> = {
  accepts: 'a comma-separated list of origins such as https://app.example, or *, possibly empty',
  parse: (text) => {
    const items = list.parse(text);
    return items?.every((item) => item === '*' || URL.parse(item)?.origin === item) === true ? items : undefined;
  },
};

const publicUrl: Grammar<string> = {
  accepts: 'a URL with http:// or https://, or /',
  parse: (text) => (text === '/' ? text : url('http', 'https').parse(text)),
};

/** Settings of the HTTP server and its limits. */
export const httpSettings = {
  publicUrl: {
    env: 'PUBLIC_URL',
    doc: 'Where clients reach this gateway, for the OpenAPI document; / means where they got the document from.',
    grammar: publicUrl,
    default: '/',
  },
  headerBytesMax: {
    env: 'HEADER_BYTES_MAX',
    doc: 'Bytes that the request line and headers may have; a legal cursor alone takes 16384.',
    grammar: integer(24_576, 1_048_576),
    default: '65536',
  },
  bodyBytesMax: {
    env: 'BODY_BYTES_MAX',
    doc: 'Bytes that the body of an operation without a limit of its own may have.',
    grammar: integer(1024, 67_108_864),
    default: '1048576',
  },
  responseBytesMax: {
    env: 'RESPONSE_BYTES_MAX',
    doc: 'Bytes that one answer may have; a larger one is refused with response_too_large.',
    grammar: integer(65_536, 1_073_741_824),
    default: '33554432',
  },
  heldBytesMax: {
    env: 'HELD_BYTES_MAX',
    doc: 'Bytes of bodies, and of answers that were not taken yet, that one gateway holds at a time; a key may hold half of what the others leave, and what holds more than 16 KiB is refused with 503 beyond it. Less than the largest request needs is taken for that.',
    grammar: integer(1_048_576, 1_099_511_627_776),
    default: String(128 * 1024 * 1024),
  },
  headersTimeoutMs: {
    env: 'HEADERS_TIMEOUT_MS',
    doc: 'How long the headers of a request may take to arrive, in milliseconds; a connection on which nothing came by then is closed.',
    grammar: integer(100, 600_000),
    default: '10000',
  },
  requestTimeoutMs: {
    env: 'REQUEST_TIMEOUT_MS',
    doc: 'How long a request may take until it is answered, its body included, in milliseconds; SEND_TIMEOUT_MS is for taking the answer.',
    grammar: integer(1000, 3_600_000),
    default: '30000',
  },
  sendTimeoutMs: {
    env: 'SEND_TIMEOUT_MS',
    doc: 'How long a client may take nothing of its answer, in milliseconds; the whole of one that is not streamed may take so long and a second for each 64 KiB. The connection ends then.',
    grammar: integer(1000, 3_600_000),
    default: '60000',
  },
  exportTimeoutMs: {
    env: 'EXPORT_TIMEOUT_MS',
    doc: "How long an export may take, in milliseconds; not more than the observations service's setting of this name.",
    grammar: integer(1000, 86_400_000),
    default: '3600000',
  },
  keepAliveTimeoutMs: {
    env: 'KEEP_ALIVE_TIMEOUT_MS',
    doc: 'How long an idle connection stays open, in milliseconds; longer than the proxy in front keeps it.',
    grammar: integer(0, 3_600_000),
    default: '65000',
  },
  connectionsMax: {
    env: 'CONNECTIONS_MAX',
    doc: 'Connections that one gateway holds; one more takes the place of the one that was idle longest. Fewer than its process may have files open.',
    grammar: integer(10, 1_000_000),
    default: '10000',
  },
  publicRequestsPerSecond: {
    env: 'LIMIT_PUBLIC_REQUESTS_PER_SECOND',
    doc: 'Requests a second without a key (the document and its page) that one address, or one /64 of IPv6, may make of one gateway.',
    grammar: integer(1, 1_000_000),
    default: '50',
  },
  publicRequestsBurst: {
    env: 'LIMIT_PUBLIC_REQUESTS_BURST',
    doc: 'Requests without a key that one address, or one /64 of IPv6, may make at once after a pause.',
    grammar: integer(1, 1_000_000),
    default: '200',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    doc: 'Addresses and networks of the proxies whose X-Forwarded-For counts.',
    grammar: networks,
    default: '',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    doc: 'Origins whose pages may call the API from a browser.',
    grammar: origins,
    default: '',
  },
  trustTraceparent: {
    env: 'TRUST_TRACEPARENT',
    doc: "Whether the traces of callers are continued; otherwise a request's trace only links to its caller's.",
    grammar: boolean,
    default: 'false',
  },
  undeclaredAnswers: {
    env: 'UNDECLARED_ANSWERS',
    doc: 'What becomes of an answer that its operation does not declare: fail (for tests) answers 500, report lets it pass; both log an error.',
    grammar: oneOf('fail', 'report'),
    default: 'report',
  },
} as const;
