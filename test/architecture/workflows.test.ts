import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

const folder = repositoryFile('.github/workflows');
const workflows = readdirSync(folder).map((file) => ({
  file,
  text: readFileSync(`${folder}/${file}`, 'utf8'),
}));

test.each(workflows)('$file pins each action by its digest, with the version beside it', ({ text }) => {
  const used = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(workflows)('$file gives no job more permissions than it names', ({ text }) => {
  expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read\n\n)/m);
  expect(text).not.toContain('write-all');
});

test('the release has no token of npm, keeps no cache, and checks the signatures of what it installs', () => {
  const release = workflows.find(({ file }) => file === 'release.yml')?.text ?? '';
  expect(release).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|cache: npm/);
  expect(release.match(/setup-node/g)).toHaveLength(3);
  expect(release.match(/package-manager-cache: false/g)).toHaveLength(3);
  expect(release).toContain('npm audit signatures');
  // Only the job that publishes can prove to npm who it is.
  expect(release.split('\n  publish:')[0]).not.toContain('id-token');
  expect(release).toContain('id-token: write');
});
