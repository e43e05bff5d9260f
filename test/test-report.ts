/** What became of one test, in the JSON report that Vitest and Jest both write. */
export interface ReportedTest {
  /** The absolute path of its file. */
  readonly file: string;
  /** The names of what it stands in, and its own. */
  readonly name: string;
  readonly passed: boolean;
  /** Why it failed. */
  readonly failure?: string;
}

/** The part of the report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Reads the tests of a report. A file that could not be loaded is one test that failed. */
export function readTestReport(text: string): readonly ReportedTest[] {
  const { testResults }: Report = JSON.parse(text);
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const tests = assertionResults.map((test) => ({
      file,
      name: test.fullName,
      passed: test.status === 'passed',
      ...(test.status === 'failed' && { failure: test.failureMessages.join('\n') }),
    }));
    const unloaded = status === 'failed' && !tests.some((test) => 'failure' in test);
    return unloaded ? [...tests, { file, name: 'loads', passed: false, failure: message }] : tests;
  });
}
