// The events that AWS documents, cut down to what an HTTP request brings along.

const sourceHeaders = { 'Content-Type': 'application/json', 'X-Forwarded-For': '127.0.0.1' };

interface Parts {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** REST API, or HTTP API with payload format 1.0: "Input format of a Lambda function for proxy integration". */
export function restEvent({ body = null, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    resource: '/webhooks',
    path: '/webhooks',
    httpMethod: method,
    headers: lastValue(several),
    multiValueHeaders: several,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'id',
      httpMethod: method,
      path: '/webhooks',
      protocol: 'HTTP/1.1',
      requestId: 'id=',
      requestTimeEpoch: 1_583_349_317_135,
      stage: '$default',
    },
    body,
    isBase64Encoded,
  };
}

/** HTTP API with payload format 2.0: lowercase names, several values joined with commas. */
export function httpEvent({ body, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/webhooks',
    rawQueryString: '',
    headers: Object.fromEntries(
      Object.entries(several).map(([name, values]) => [name.toLowerCase(), values.join(',')]),
    ),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api-id',
      domainName: 'id.execute-api.us-east-1.amazonaws.com',
      http: { method, path: '/webhooks', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'agent' },
      requestId: 'id',
      stage: '$default',
      timeEpoch: 1_583_348_638_390,
    },
    ...(typeof body === 'string' && { body }), // left out where there is none
    isBase64Encoded,
  };
}

/** A function URL: payload format 2.0, with "the value $default" wherever an API would have a name. */
export function functionUrlEvent(parts: Parts) {
  const event = httpEvent(parts);
  return {
    ...event,
    requestContext: {
      ...event.requestContext,
      accountId: 'anonymous',
      apiId: '<urlid>',
      domainName: '<url-id>.lambda-url.us-west-2.on.aws',
    },
  };
}

/** An Application Load Balancer: lowercase names, and of several values the last. */
export function balancerEvent({ body, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    requestContext: {
      elb: {
        targetGroupArn:
          'arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-target-group/6d0ecf831eec9f09',
      },
    },
    httpMethod: method,
    path: '/webhooks',
    queryStringParameters: {},
    headers: lowercase(lastValue(several)),
    body: body ?? '',
    isBase64Encoded,
  };
}

/** The same with multi-value headers switched on, which then stand in place of the others. */
export function multiValueBalancerEvent(parts: Parts) {
  const { headers: _, ...event } = balancerEvent(parts);
  return { ...event, multiValueHeaders: lowercase(everyValue({ ...sourceHeaders, ...parts.headers })) };
}

/** A function of Netlify in its older form, which takes an event: Lambda's of a REST API without its context. */
export function netlifyEvent(parts: Parts) {
  const { path, httpMethod, headers, multiValueHeaders, body, isBase64Encoded } = restEvent(parts);
  return {
    path,
    httpMethod,
    rawUrl: `https://example.netlify.app${path}`,
    rawQuery: '',
    queryStringParameters: {},
    multiValueQueryStringParameters: {},
    headers: lowercase(headers),
    multiValueHeaders: lowercase(multiValueHeaders),
    body,
    isBase64Encoded,
  };
}

/** Every kind of event, by the name of what sends it. */
export const senders = {
  'REST API': restEvent,
  'HTTP API': httpEvent,
  'function URL': functionUrlEvent,
  ALB: balancerEvent,
  'ALB, multi-value': multiValueBalancerEvent,
  Netlify: netlifyEvent,
} as const;

function everyValue(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? [value] : [...value]]),
  );
}

function lastValue(headers: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.at(-1) ?? '']));
}

function lowercase<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
