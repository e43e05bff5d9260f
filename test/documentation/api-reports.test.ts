import { expect, test } from 'vitest';
import { declarationsIn, reportOf } from '../../scripts/api/report.js';

const extracted = `## API Report File for "example"

\`\`\`ts

import { Other } from 'other';

// @public
export interface Call extends Shared {
    // @deprecated (undocumented)
    readonly old: number;
    // (undocumented)
    readonly state: /** Its words may change. */
    'open' | 'closed';
}

// @public @deprecated (undocumented)
export type Mode = 'a'
/** Words. */
| 'b';

// @public (undocumented)
interface Shared {
    readonly other: Other;
}

// (No @packageDocumentation comment for this package)

\`\`\`
`;

const [imports = '', call = '', mode = '', shared = ''] = declarationsIn(extracted);

test('a report keeps declarations and the tag of what is deprecated, without other comments', () => {
  expect(imports).toBe("import { Other } from 'other';");
  expect(call).toContain('    // @deprecated\n    readonly old: number;\n    readonly state:');
  expect(mode).toBe("// @deprecated\nexport type Mode = 'a'\n| 'b';");
  expect(shared).toBe('interface Shared {\n    readonly other: Other;\n}');
  expect(declarationsIn(extracted)).toHaveLength(4);
});

const exported = `export ${shared}`;
const different = shared.replace('other', 'changed');

test.each([
  ['is left out where an earlier report names it, too', shared, shared, false],
  ['is left out where an earlier report exports it', exported, shared, false],
  ['stays where it differs from that of an earlier report', exported, different, true],
  ['stays where it is exported there, too', call, call, true],
])('a declaration %s', (_, earlier, declaration, isThere) => {
  const recorded = new Set<string>();

  expect(reportOf('example', [earlier], recorded)).toContain(earlier);
  expect(reportOf('example/other', [declaration], recorded).includes(declaration)).toBe(isThere);
});
