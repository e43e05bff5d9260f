/**
 * The caller of the Lambda function: an API Gateway with payload format 1.0 (`v1`, a REST API) or 2.0 (`v2`, an HTTP API or
 * a function URL), or an application load balancer.
 */
export type LambdaCaller = 'v1' | 'v2' | 'alb';

/**
 * A delivery as an event of AWS Lambda: the fields that its three formats share, and the fields of each for the method, the path and
 * the headers.
 */
export interface LambdaTestEvent {
  readonly version?: '1.0' | '2.0';
  /** In format 1.0 and from a load balancer. */
  readonly httpMethod?: string;
  readonly path?: string;
  readonly resource?: string;
  /** In format 2.0. */
  readonly rawPath?: string;
  readonly rawQueryString?: string;
  readonly routeKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>;
  readonly queryStringParameters?: Readonly<Record<string, string>> | null;
  readonly requestContext: {
    readonly httpMethod?: string;
    readonly path?: string;
    readonly http?: { readonly method: string; readonly path: string };
    readonly elb?: { readonly targetGroupArn: string };
  };
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Creates the event of a delivery. The body has the format that this caller sends. */
export function lambdaEventOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  caller: LambdaCaller,
  body: string,
  isBase64Encoded: boolean,
): LambdaTestEvent {
  const path = url.pathname;
  const httpMethod = 'POST';
  // As in format 2.0 and from a load balancer.
  const lowercase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const queryStringParameters = Object.fromEntries(url.searchParams);
  const common = { body, isBase64Encoded };
  switch (caller) {
    case 'v1':
      return {
        version: '1.0',
        resource: path,
        path,
        httpMethod,
        headers,
        multiValueHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value]]),
        ),
        // Format 1.0 has null for absent values.
        queryStringParameters: url.search === '' ? null : queryStringParameters,
        requestContext: { httpMethod, path },
        ...common,
      };
    case 'v2':
      return {
        version: '2.0',
        routeKey: `${httpMethod} ${path}`,
        rawPath: path,
        rawQueryString: url.search.slice(1),
        headers: lowercase,
        requestContext: { http: { method: httpMethod, path } },
        ...common,
      };
    case 'alb':
      return {
        httpMethod,
        path,
        queryStringParameters,
        headers: lowercase,
        requestContext: {
          elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/test/1' },
        },
        ...common,
      };
  }
}
