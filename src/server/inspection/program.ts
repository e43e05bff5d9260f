import { literal } from './code.js';
import { type Expectation, sendAlone } from './expectations.js';
import type { NumberedEntry } from './inspection.js';
import { leavesOf } from './matching.js';
import { type Script, scriptOf } from './script.js';
import type { CallStep, FindStep, IdPlace, RawStep, ScriptStep } from './steps.js';
import type { Surroundings } from './story.js';

/** Writes a test that repeats a script in a workspace of its own, without a network, and asserts what it expects. */
export function testOf(script: Script, remark?: string): string {
  const lines = [
    ...(remark === undefined ? [] : [`// ${remark}`]),
    ...receiversOf(script),
    ...serverOf(script),
    'onTestFinished(() => server.close());',
    '',
    ...script.steps.map((step) => textOf(step, assertedCall)),
    '',
    ...once(script.expectations.flatMap((expectation) => assertionOf(expectation, script))),
  ];
  const ofVitest = lines.some((line) => line.includes('expect('))
    ? 'expect, onTestFinished, test'
    : 'onTestFinished, test';
  return `import { createReferenceServer } from 'messaging-automation/server';
import { ${ofVitest} } from 'vitest';

test(${literal(script.title)}, async () => {
${indented(lines)}});
`;
}

/** Writes a program that repeats an entry in a workspace of its own, without a network, and prints it. */
export function programOf(entry: NumberedEntry, surroundings: Surroundings): string {
  const script = scriptOf([entry], surroundings);
  const printed = (step: CallStep | RawStep) => `await ${callOf(step)}.catch(console.log);`;
  return `import { createReferenceServer } from 'messaging-automation/server';

${[
  ...receiversOf(script),
  ...serverOf(script),
  '',
  ...script.steps.map((step) => textOf(step, printed)),
  `console.log(await server.journal.find(${literal(entry.type)}));`,
  'await server.close();',
].join('\n')}
`;
}

/** Leaves out the declarations of a variable after the first. */
function once(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => !line.startsWith('const ') || lines.indexOf(line) === index);
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '\n' : `  ${line.replaceAll('\n', '\n  ')}\n`)).join('');
}

/** The responses of the receivers, so that the program needs no network. */
function receiversOf({ responses }: Script): readonly string[] {
  if (responses.size === 0) return [];
  return [
    '// What each receiver returns, in turn: a status, or the error of the connection.',
    `const responses = new Map(${listed([...responses])});`,
  ];
}

/** Writes a list with a line for each item. */
function listed(items: readonly unknown[]): string {
  return `[\n${items.map((item) => `  ${literal(item, '  ')},\n`).join('')}]`;
}

function serverOf(script: Script): readonly string[] {
  const options = Object.entries(script.world).map(([name, value]) => `  ${name}: ${literal(value, '  ')},`);
  return [
    'const server = createReferenceServer({',
    ...options,
    ...(script.isElsewhere ? ["  receiverAddresses: 'any',"] : []),
    ...fetchOf(script),
    '});',
  ];
}

function fetchOf({ responses, hasReceivers }: Script): readonly string[] {
  if (responses.size > 0) {
    return [
      '  fetch: async (url) => {',
      '    const response = responses.get(String(url))?.shift() ?? 200;',
      "    if (typeof response === 'string') throw new Error(response);",
      '    return new Response(null, { status: response });',
      '  },',
    ];
  }
  return hasReceivers ? ["  fetch: async () => new Response('The receiver accepts.'),"] : [];
}

function textOf(step: ScriptStep, write: (step: CallStep | RawStep) => string): string {
  switch (step.kind) {
    case 'advance':
      return `await server.clock.advance(${literal(step.by)});`;
    case 'settle':
      return 'await server.settled();';
    case 'note':
      return `// ${step.text}`;
    case 'find':
      return findingOf(step);
    case 'raw':
      return write(step);
    case 'call':
      // Only requests of the client are part of what a program tries out.
      return step.method.startsWith('client.') ? write(step) : assertedCall(step);
  }
}

function findingOf({ name, place }: FindStep): string {
  return `const ${name} = ${placeOf(place)} ?? '';`;
}

function placeOf(place: IdPlace): string {
  switch (place.of) {
    case 'contact':
      return `(await server.contacts.read(${literal(place.phone)}))?.id`;
    case 'subscription':
      return `(await server.subscriptions.list()).find(({ url }) => url === ${literal(place.url)})?.id`;
    case 'delivery': {
      const { event, url, index } = place;
      const found = `({ event, url }) => event === ${literal(event)} && url === ${literal(url)}`;
      return `(await server.journal.deliveries()).filter(${found})[${index}]?.id`;
    }
    case 'event':
      return `(await server.journal.find('event'))[${place.index}]?.event.id`;
  }
}

function callOf(step: CallStep | RawStep): string {
  if (step.kind === 'raw') return rawCall(step);
  const { method, given, names, phone } = step;
  const receiver = phone === undefined ? `server.${method}` : `server.contact(${literal(phone)}).${method}`;
  const call = `${receiver}(${given.map((value) => literal(value)).join(', ')})`;
  return [...names].reduce((text, [id, name]) => text.replaceAll(literal(id), name), call);
}

function assertedCall(step: CallStep | RawStep): string {
  const call = callOf(step);
  if (step.kind === 'raw') return `expect(await ${call}).toMatchObject({ status: ${step.status} });`;
  const { outcome, result } = step;
  switch (outcome.kind) {
    case 'success':
      return `${result === undefined ? '' : `const ${result.name} = `}await ${call};`;
    case 'null':
      return `expect(await ${call}).toBeNull();`;
    case 'error':
      return `await expect(${call}).rejects.toMatchObject(${literal(outcome.fields)});`;
    case 'any':
      return `await ${call}.catch(() => undefined);`;
  }
}

/** Returns the request without the client, which would reject its input. */
function rawCall({ parts: { method, path, body } }: RawStep): string {
  return `server.fetch(
  new Request(${literal(`http://reference-server.test${path}`)}, {
    method: ${literal(method)},
    headers: { Authorization: \`Bearer \${server.apiKey}\`, 'Content-Type': 'application/json' },${
      body === undefined ? '' : `\n    body: ${literal(body)},`
    }
  }),
)`;
}

function assertionOf(expectation: Expectation, { expectations }: Script): readonly string[] {
  const { type, where, find, entries, isAll, isLeftOut } = expectation;
  if (isLeftOut) {
    const about = where === undefined ? '' : ` with ${JSON.stringify(where)}`;
    return [`// Left out, because they differ in a fresh workspace: the entries of type ${type}${about}`];
  }
  const alone = sendAlone(expectation, expectations);
  if (alone !== undefined) {
    const { phone, templateId, text } = alone;
    return [
      `await server.contact(${literal(phone)}).receives(${literal(templateId)}, ${literal({ text })});`,
    ];
  }
  const selected = where === undefined ? '' : `, ${selectionOf(type, where, find)}`;
  const found = `await server.journal.find(${literal(type)}${selected})`;
  const compared = isAll ? found : `(${found}).slice(0, ${entries.length})`;
  const finding = find === undefined || where === undefined ? [] : [findingOf(find)];
  return [...finding, `expect(${compared}).toMatchObject(${listed(entries)});`];
}

/** Writes a function that selects entries by their fields. */
function selectionOf(type: Expectation['type'], where: object, find: FindStep | undefined): string {
  const leaves = leavesOf(where);
  const isOfFault = type === 'fault';
  const conditions = leaves.map(([path, value]) => {
    const written = find !== undefined && value === find.id ? find.name : literal(value);
    return `${isOfFault ? 'entry.' : ''}${path.join('.')} === ${written}`;
  });
  const heads = [...new Set(leaves.map(([[head]]) => head))].join(', ');
  if (!isOfFault) return `({ ${heads} }) => ${conditions.join(' && ')}`;
  // Faults of requests and of deliveries have other fields.
  return `(entry) => ${literal(leaves[0]?.[0][0])} in entry && ${conditions.join(' && ')}`;
}
