import type { LambdaEvent } from '../adapters/lambda.js';

/**
 * The caller of the Lambda function: an API Gateway with payload format 1.0 (`v1`, a REST API) or 2.0 (`v2`, an HTTP API or
 * a function URL), or an application load balancer.
 */
export type LambdaCaller = 'v1' | 'v2' | 'alb';

/**
 * A delivery as an event of AWS Lambda, with the fields of its format for the method, the path and the headers.
 */
export interface LambdaTestEvent extends LambdaEvent {
  readonly [field: string]: unknown;
  readonly body: string;
}

/** Creates the event of a delivery. The body has the format that this caller sends. */
export function lambdaEventOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  caller: LambdaCaller,
  body: string,
  isBase64Encoded: boolean,
): LambdaTestEvent {
  const request = { httpMethod: 'POST', path: url.pathname };
  const http = { method: 'POST', path: url.pathname };
  const queryStringParameters = Object.fromEntries(url.searchParams);
  const lowercase = Object.fromEntries(new Headers(headers));
  const common = { headers: lowercase, body, isBase64Encoded };
  switch (caller) {
    case 'v1':
      return {
        ...common,
        ...request,
        version: '1.0',
        resource: request.path,
        headers,
        multiValueHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value]]),
        ),
        // Format 1.0 has null for absent values.
        queryStringParameters: url.search === '' ? null : queryStringParameters,
        requestContext: request,
      };
    case 'v2':
      return {
        ...common,
        version: '2.0',
        routeKey: `${http.method} ${http.path}`,
        rawPath: http.path,
        rawQueryString: url.search.slice(1),
        requestContext: { http },
      };
    case 'alb': {
      const targetGroupArn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/test/1';
      return { ...common, ...request, queryStringParameters, requestContext: { elb: { targetGroupArn } } };
    }
  }
}
