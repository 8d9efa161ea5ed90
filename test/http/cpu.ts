import { fork } from 'node:child_process';
import { createLog } from '../../src/base/index.ts';
import { startService, SHOP } from './service.ts';
import { connect } from 'node:net';
if (process.argv[2]) {
  const port = Number(process.argv[2]);
  const body = JSON.stringify({ amount: 12.5, currency: 'EUR', pan: '4111111111111111', segment: 'abc', card: { cvv: '123', holder: 'JOHN SMITH', expiration_month: 7, expiration_year: 2030 }, location: { ip: '1.2.3.4' }, options: { force3d: 0, auto_charge: 1 }, custom_fields: { a: 'b' } });
  const one = `POST /test/orders/create HTTP/1.1\r\nHost: a\r\nAuthorization: ${SHOP}\r\nContent-Type: application/json\r\nAccept: */*\r\nUser-Agent: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const N = 3000; let done = 0; 
  await Promise.all(Array.from({ length: 8 }, () => new Promise<void>((res) => { let n = 0; const s = connect(port, '127.0.0.1', () => s.write(one)); s.on('data', (d) => { const t = d.toString('latin1'); if (n === 0 && done === 0) { done = 1; console.log(t.slice(0, 12)); } if (++n < N) s.write(one); else { s.end(); res(); } }); })));
  process.send!('done');
} else {
  const { createMetrics } = await import('../../src/http/index.ts');
  const s = await startService({ metrics: createMetrics(), ...(process.env.REALLOG ? { log: createLog('info') } : {}) });
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await new Promise<void>((res) => { const c = fork(import.meta.filename, [String(s.port)]); c.on('message', () => { const u = process.cpuUsage(before); console.error('us per request', ((u.user + u.system) / 24000).toFixed(1), 'user', (u.user/24000).toFixed(1)); }); c.on('exit', () => res()); });
    s.lines.length = 0;
  }
  await s.server.close();
}
