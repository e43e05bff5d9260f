import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './debian.js';
import { freePort } from './free-port.js';
import { type StoppableServer, startStoppable, untilReady } from './stoppable-server.js';

/** The program, as Debian has it. */
export const findNginx = () => findProgram('nginx', '/usr/sbin/nginx', '-v');

/** Starts an nginx on the loopback that passes all requests on to a port, by its defaults. */
export async function startNginx(
  program: string,
  port: number,
): Promise<StoppableServer & { readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder};`,
  );
  const configuration = join(folder, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; pid ${folder}/pid; error_log stderr notice; events {}
     http { ${paths.join(' ')} access_log off;
       server { listen ${new URL(url).host}; location / { proxy_pass http://127.0.0.1:${port}; } } }`,
  );
  const launch = async () => {
    const server = spawn(program, ['-c', configuration, '-p', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await untilReady('nginx', server.stderr, 'start worker process ');
    return server;
  };
  return { ...(await startStoppable({ launch, stopSignal: 'SIGTERM', folder })), url };
}
