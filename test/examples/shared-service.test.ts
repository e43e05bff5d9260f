import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from '../cli/fake-terminal.js';
import { repositoryFile } from '../repository.js';

const read = (path: string) => readFileSync(repositoryFile(path), 'utf8');
const example = (name: string) => read(`examples/shared-service/${name}`);

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: object;
}

const { services }: { readonly services: Readonly<Record<string, Service>> } = parse(
  example('compose.yaml'),
  {
    merge: true,
  },
);
const servers = Object.entries(services).filter(([, { build }]) => build === '.');

async function helpOf(command: string): Promise<string> {
  const terminal = new FakeTerminal();
  expect(await run([command, '--help'], terminal)).toBe(0);
  return terminal.output;
}

test('the compose file starts replicas by commands that there are, each with a name of its own', async () => {
  expect(servers).toHaveLength(3);
  for (const [name, { command = [] }] of servers) {
    const [program = '', ...words] = command;
    const help = await helpOf(program);
    const unknown = words.filter(
      (word) => word.startsWith('--') && !new RegExp(`^ +${word}\\b`, 'm').test(help),
    );
    expect(unknown).toEqual([]);
    expect(words[words.indexOf('--replica') + 1]).toBe(name);
  }
});

test('the compose file gives the database and the key by variables that there are', async () => {
  const help = await helpOf('serve');
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = services.database?.environment ?? {};
  for (const [, { environment = {}, depends_on }] of servers) {
    const unknown = Object.keys(environment).filter((name) => !help.includes(`$${name}`));
    expect(unknown).toEqual([]);
    expect(environment.MESSAGING_AUTOMATION_STORE).toBe(
      `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@database/${POSTGRES_DB}`,
    );
    expect(depends_on).toEqual({ database: { condition: 'service_healthy' } });
  }
  expect(services.database?.image).toMatch(/^postgres:17/);
});

test('nginx knows every replica, buffers no event, and sends no POST twice', () => {
  const configuration = example('nginx.conf').replaceAll(/#.*/g, '');
  const upstream = [...configuration.matchAll(/^ *server (\S+):4010 /gm)].map(([, name]) => name);
  expect(upstream).toEqual(servers.map(([name]) => name));
  expect(configuration).toMatch(/proxy_buffering off;/);
  expect(configuration).toMatch(/proxy_http_version 1\.1;/);
  expect(configuration).toMatch(/proxy_next_upstream error timeout;/);
  expect(configuration).not.toMatch(/non_idempotent|proxy_cache|gzip on/);
});

test('the image has what the store needs, runs as nobody special, and asks for its health', () => {
  const dockerfile = example('Dockerfile');
  const { devDependencies } = JSON.parse(read('package.json'));
  const [pg = ''] = devDependencies.pg.split('.');
  expect(dockerfile).toMatch(/^FROM node:22-slim$/m);
  expect(dockerfile).toContain(
    `npm install messaging-automation pg@${pg} graphile-worker@${devDependencies['graphile-worker']} `,
  );
  expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('ENTRYPOINT'));
  expect(dockerfile).toMatch(/HEALTHCHECK [\s\S]*\/health/);
});
