/** What the test that runs this application handed over: it runs in the same process, and is built before it. */
export const handedOver = () => globalThis[Symbol.for('messaging-automation.test.next')];
