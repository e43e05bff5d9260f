/**
 * How much of an error the service documents: its status and its code, its status alone, or nothing. This package chooses
 * the rest.
 */
export type Shown = 'status and code' | 'status' | 'nothing';

/** One error that an operation may respond with. */
export interface OperationError {
  readonly code: ErrorCode;
  readonly condition: string;
  readonly shown: Shown;
}

/**
 * The status of each error code. The service documents the first three. The reference server adds the others, and the
 * client does not depend on them.
 */
export const errorStatuses = {
  quota_exceeded: 402,
  not_found: 404,
  send_failed: 422,
  template_not_found: 404,
  invalid_json: 400,
  invalid_request: 400,
  unauthorized: 401,
  unknown_path: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

/** An error code the reference server responds with. */
export type ErrorCode = keyof typeof errorStatuses;

/** The errors that any operation may respond with. The service documents none of them. */
export const errorsOfAnyOperation: readonly OperationError[] = [
  { code: 'unauthorized', condition: 'The API key is missing or not valid.', shown: 'nothing' },
  {
    code: 'rate_limited',
    condition: 'Too many requests; Retry-After says when to come back.',
    shown: 'nothing',
  },
  { code: 'internal_error', condition: 'The service failed.', shown: 'nothing' },
];

/** The errors of operations that take a body. The service documents none of them. */
export const errorsOfBodies: readonly OperationError[] = [
  { code: 'invalid_json', condition: 'The body is not JSON.', shown: 'nothing' },
  { code: 'invalid_request', condition: 'A field is missing, unknown or wrong.', shown: 'nothing' },
  { code: 'payload_too_large', condition: 'The body is larger than the service takes.', shown: 'nothing' },
  { code: 'unsupported_media_type', condition: 'The body is not application/json.', shown: 'nothing' },
];
