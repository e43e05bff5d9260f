import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import {
  builtFiles,
  distributionFiles,
  distributionText,
  loadedWith,
  modulesIn,
  packagesIn,
} from './distribution.js';

describe('what loads with an entry', () => {
  test.each(['index.js', 'webhooks.js'])('%s needs no module but its own', (entry) => {
    expect(loadedWith(entry).outside).toEqual([]);
  });

  test.each(['server.js', 'msw.js', 'conformance.js', 'command-line.js', 'mcp.js'])(
    '%s needs only Node.js, and msw where it is about msw',
    (entry) => {
      const others = loadedWith(entry).outside.filter((name) => !isBuiltin(name));

      expect(others).toEqual(entry === 'msw.js' ? ['msw'] : []);
    },
  );

  // Whoever has no such store needs neither package: each is loaded when a store connects.
  test('postgres.js needs only Node.js, and only the command line knows a package that it loads later', () => {
    expect(loadedWith('postgres.js').outside.filter((name) => !isBuiltin(name))).toEqual([]);
    const knowing = distributionFiles('.js').filter((name) =>
      /import\(["'](pg|graphile-worker)["']\)/.test(distributionText(name)),
    );
    expect(knowing).toEqual(['command-line.js', 'postgres.js']); // the former for the keys in a store of the client
  });

  test('only the command mcp loads the tools for agents, which share zod with the server', () => {
    expect(loadedWith('command-line.js').files).not.toContain('mcp.js');
    expect(loadedWith('server.js').files).not.toContain('mcp.js');
    expect(
      distributionFiles('.js').filter((name) => /["'].\/mcp\.js["']/.test(distributionText(name))),
    ).toEqual(['command-line.js']);
    expect(distributionFiles('.cjs')).not.toContain('mcp.cjs');
    expect([...packagesIn('mcp.js')]).toEqual([]);
  });

  test('ky waits for the first call', () => {
    const packages = [...loadedWith('index.js').files].flatMap((file) => [...packagesIn(file)]);

    expect(packages).toContain('zod');
    expect(packages).not.toContain('ky');
  });

  test('ky waits for the first call in CommonJS too', () => {
    const require = createRequire(import.meta.url);
    const folder = repositoryFile('dist/');
    require(`${folder}index.cjs`);
    const loaded = Object.keys(require.cache).filter((path) => path.startsWith(folder));
    const packages = loaded.flatMap((path) => [...packagesIn(path.slice(folder.length))]);

    expect(packages).toContain('zod');
    expect(packages).not.toContain('ky');
  });

  test('the webhooks never load the client', () => {
    const modules = [...loadedWith('webhooks.js').files].flatMap(modulesIn);

    expect(modules).toContainEqual(expect.stringMatching(/^src\/webhooks\//));
    expect(modules.filter((path) => /^src\/(client|server)\//.test(path))).toEqual([]);
  });

  // Loading is most of what importing them costs: nearly a millisecond for each file, and ten for a schema library.
  test('the webhooks are three files, with no library but the hashes', () => {
    const files = [...loadedWith('webhooks.js').files];

    expect(files).toHaveLength(3);
    expect(files.flatMap((file) => [...packagesIn(file)])).toEqual(['@noble/hashes']);
  });
});

test('the types name no foreign module but msw', () => {
  const foreign = distributionFiles('.d.ts', '.d.cts').flatMap((file) => {
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(distributionText(file));
    return [...importedFiles, ...typeReferenceDirectives]
      .filter(({ fileName }) => !fileName.startsWith('.'))
      .map(({ fileName }) => `${file}: ${fileName}`);
  });

  expect(foreign.sort()).toEqual(['msw.d.cts: msw', 'msw.d.ts: msw']);
});

describe('what the package says it contains', () => {
  const contained = [...new Set(builtFiles.flatMap((file) => [...packagesIn(file)]))].sort();
  const versioned = contained.map((name) => {
    const manifest = readFileSync(repositoryFile(`node_modules/${name}/package.json`), 'utf8');
    return { name, version: String(JSON.parse(manifest).version) };
  });
  const billText = readFileSync(repositoryFile('sbom.cdx.json'), 'utf8');

  test('is what it contains, in the notices', () => {
    const notices = readFileSync(repositoryFile('THIRD_PARTY_NOTICES.md'), 'utf8');
    const headings = [...notices.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);

    expect(headings).toEqual(versioned.map(({ name, version }) => `${name} ${version}`));
  });

  test('is what it contains, in the SBOM', () => {
    const bill: { components: { purl: string }[] } = JSON.parse(billText);

    expect(bill.components.map(({ purl }) => purl).sort()).toEqual(
      versioned.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`).sort(),
    );
  });

  test('is valid CycloneDX 1.6', async () => {
    expect(await new JsonStrictValidator(Version.v1dot6).validate(billText)).toBeNull();
  });
});
