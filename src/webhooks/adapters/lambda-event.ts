/**
 * An HTTP request as AWS Lambda gets it: from an API Gateway (payload format 1.0 or 2.0), a function URL (2.0) or an
 * Application Load Balancer. The events of `@types/aws-lambda` fit it.
 */
export interface LambdaEvent {
  /** The method, in payload format 1.0 and from a load balancer. */
  readonly httpMethod?: string | undefined;
  /** Contains the method in format 2.0. It also identifies a load balancer. */
  readonly requestContext?:
    | {
        readonly httpMethod?: string | undefined;
        readonly http?: { readonly method: string } | undefined;
        readonly elb?: unknown;
      }
    | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** All values of each header, in format 1.0, and from a load balancer with multi-value headers enabled. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/**
 * The result of a Lambda function, in the format that the sender of the event expects.
 */
export interface LambdaResult {
  statusCode: number;
  /** For a load balancer: the code and its name, as in `200 OK`. */
  statusDescription?: string;
  headers?: Record<string, string>;
  /** Replaces `headers` for a load balancer with multi-value headers enabled. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/**
 * The part of a Lambda function's context that the adapter reads.
 */
export interface LambdaContext {
  /** Returns how long the function may still run, in milliseconds. */
  getRemainingTimeInMillis?(): number;
}

/** The headers of an event. Each has one value or several. */
export type LambdaHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
