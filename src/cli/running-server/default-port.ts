/** The default port: `serve` listens on it, and the commands that call a server use it. */
export const defaultPort = 4010;
