import type { WithResponse } from '../answer/with-response.js';
import { RequestError } from '../errors/request-error.js';
import type { CallTrace, TracingChannel } from './tracing.js';
import type { WatchedCall } from './watched-call.js';

/** Runs the work of a call within the tracing channel, so that subscribers see it and bound stores apply. */
export async function trace<Data>(
  channel: TracingChannel,
  call: WatchedCall,
  baseUrl: string,
  work: () => Promise<WithResponse<Data>>,
): Promise<WithResponse<Data>> {
  const { name, method, path } = call.operation;
  const context: CallTrace = {
    operation: name,
    method,
    urlTemplate: path,
    ...serverOf(baseUrl),
    attempts: 0,
  };
  const give = await channel.tracePromise(async () => {
    try {
      const answer = await work();
      const { response, requestId } = answer;
      Object.assign(context, { attempts: call.attempts, status: response.status, requestId });
      // Returns a function because the channel shows this result to subscribers, who might log a contact.
      return () => answer;
    } catch (error) {
      const { attempts, outcome } = call;
      Object.assign(context, { attempts, outcome, ...answerFacts(error) });
      throw error;
    }
  }, context);
  return give();
}

function answerFacts(error: unknown): Pick<CallTrace, 'status' | 'requestId'> {
  return error instanceof RequestError ? { status: error.status, requestId: error.requestId } : {};
}

function serverOf(baseUrl: string): Pick<CallTrace, 'serverAddress' | 'serverPort'> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const standardPort = protocol === 'https:' ? 443 : 80;
  return {
    serverAddress: hostname.replace(/^\[(.*)\]$/, '$1'),
    serverPort: port === '' ? standardPort : Number(port),
  };
}
