import { describe, expect, test } from 'vitest';
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

describe('a declaration that is only named', () => {
  test('is in the first report that names it', () => {
    const recorded = new Set<string>();

    expect(reportOf('example', [call, shared], recorded)).toContain(shared);
    expect(reportOf('example/other', [shared], recorded)).not.toContain(shared);
  });

  test('is left out if an earlier report exports it', () => {
    const recorded = new Set<string>();
    reportOf('example', [`export ${shared}`], recorded);

    expect(reportOf('example/other', [shared], recorded)).not.toContain(shared);
  });

  test('stays if it differs from that of an earlier report', () => {
    const recorded = new Set<string>();
    reportOf('example', [`export ${shared}`], recorded);
    const different = shared.replace('other', 'changed');

    expect(reportOf('example/other', [different], recorded)).toContain(different);
  });
});

test('an exported declaration is in the report of each import path that exports it', () => {
  const recorded = new Set<string>();

  expect(reportOf('example', [call], recorded)).toContain(call);
  expect(reportOf('example/other', [call], recorded)).toContain(call);
});
