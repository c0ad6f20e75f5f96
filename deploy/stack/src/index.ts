export { type ExportedSpan, type OtlpReceiver, startOtlpReceiver } from './observe/otlp-receiver.js';
export { freePorts } from './processes/free-port.js';
export type { Exit, RunningProcess } from './processes/run-process.js';
export { type DatabaseProcess, type DatabaseUrls, databaseRoles, makeLogins } from './servers/logins.js';
export { findProgram, startProgram } from './servers/start-program.js';
export { type ServerBinaries, type Servers, type ServerUrls, startServers } from './servers/start-servers.js';
export { type Addresses, leanSemiSpaceMiB, newAddresses, servingProcesses } from './stack/process-specs.js';
export { type Stack, type StackOptions, startStack } from './stack/start-stack.js';
