export { type ErrorCode, type ErrorCodeEntry, errorCodes, isErrorCode } from './codes.js';
export {
  type ErrorDetail,
  errorDetailsMax,
  faultError,
  faultsMessage,
  notFound,
  unavailable,
  WeirError,
  type WeirErrorOptions,
} from './weir-error.js';
