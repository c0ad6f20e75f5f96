/** For tests alone: real databases, one a test file, cloned from a migrated template. */
export { deleteStream } from './delete-stream.js';
export { waitUntilDrained } from './drained.js';
export { errorOf } from './error-of.js';
export { newProject, operator } from './new-project.js';
export { hasNatsServer, PrivateNats } from './private-nats.js';
export { findUnscoped } from './project-scope.js';
export { readCost } from './read-cost.js';
export { servedInPart } from './served-in-part.js';
export { startTestService, type TestService } from './start-test-service.js';
export {
  findOtherWalks,
  type PlanNode,
  type PlannedStatement,
  planStatements,
  prepareStatements,
} from './statements.js';
export { type Fault, startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { createEmptyDatabase, createTestDatabase, type TestDatabase, testServer } from './test-database.js';
