import { Call, type ControlSurface, type Surroundings } from './control.js';
import { readable } from './readable.js';
import type { Tool } from './tool.js';
import { ToolFailure } from './tool-failure.js';

/** The longest call of a tool. Clients end a call after a minute. In milliseconds. */
const longestCall = 55_000;

/** The result of a tool, in the form of the protocol. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [name: string]: unknown;
}

/** Runs a tool. An error becomes a result that the agent can read. */
export async function runTool(
  tool: Tool,
  input: unknown,
  surroundings: Surroundings,
  cancelled: AbortSignal,
): Promise<ToolResult> {
  const { surface, clock } = surroundings;
  const ending = new AbortController();
  const cancelTimer = clock.setTimer(() => ending.abort(), longestCall);
  const call = new Call(surroundings, AbortSignal.any([cancelled, ending.signal]));
  const json = tool.isPublic === true ? JSON.stringify : surface.json;
  const written = (result: object) => json(readable(result, json));
  try {
    const text = written(await tool.run(input, call));
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    const failure = ending.signal.aborted
      ? new ToolFailure(
          `${tool.name} took longer than ${longestCall / 1_000} seconds. The server may still be at work: read_journal shows what happened.`,
        )
      : error;
    return { content: [{ type: 'text', text: messageOf(failure, surface) }], isError: true };
  } finally {
    cancelTimer();
  }
}

function messageOf(failure: unknown, { shown }: ControlSurface): string {
  // It has no data of the workspace, and may have an example of a phone number.
  if (failure instanceof ToolFailure) return failure.message;
  const { message = failure }: { readonly message?: unknown } = Object(failure);
  return shown(String(message));
}
