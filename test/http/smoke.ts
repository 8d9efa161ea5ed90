import { startService, SHOP, raw } from './service.ts';
const s = await startService();
const show = async (m: string, p: string, o: any = {}) => { const r = await fetch(s.url + p, { method: m, redirect: 'manual', headers: { authorization: SHOP, ...(o.headers ?? {}) }, body: o.body }); console.log(m, p, r.status, JSON.stringify(Object.fromEntries(r.headers)), await r.text()); };
await show('GET', '/test/ping'); await show('GET', '/test/ping/'); await show('HEAD', '/test/ping/'); await show('OPTIONS', '/test/ping'); await show('DELETE', '/test/ping');
await show('GET', '/test/nosuch'); await show('GET', '/nosuch'); await show('GET', '/test/orders?status=new,charged&per_page=5&card.type=visa');
await show('GET', '/test/orders/?status=x&per_page=9999&created_from=a&sort=z'); await show('GET', '/test/orders/%00'); await show('GET', '/test/orders/%zz');await show('GET', '/test/orders/crash');
await show('POST', '/test/orders/create?location.ip=1.2.3.4', { headers: { 'content-type': 'application/json' }, body: '{"amount":12.50,"segment":7,"options":{"force3d":1},"card":{"cvv":"123","holder":"A B","expiration_month":7,"expiration_year":2030},"description":null}' });
await show('POST', '/test/orders/create', { headers: { 'content-type': 'application/json' }, body: '{"amount":1.505,"card":{"holder":"x","colour":1},"zz/~ 4111111111111111":1,"__proto__":{},"amount":2}' });
const A = `Host: a\r\nAuthorization: ${SHOP}\r\n`;
for (const t of [`PROPFIND /test/ping HTTP/1.1\r\n${A}Connection: close\r\n\r\n`, `OPTIONS * HTTP/1.1\r\n${A}Connection: close\r\n\r\n`, `GET http://foo/test/ping HTTP/1.1\r\n${A}Connection: close\r\n\r\n`,
 `GET /test/ping HTTP/1.1\r\nConnection: close\r\n\r\n`, `GET /test/ping HTTP/1.1\r\nBad Header: 1\r\n\r\n`, `POST /test/orders/create HTTP/1.1\r\n${A}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
 `GET /test/ping HTTP/1.1\r\n${A}X: ${'a'.repeat(20000)}\r\n\r\n`, 'hello\r\n\r\n', `CONNECT a:80 HTTP/1.1\r\n${A}\r\n`]) console.log('>>', JSON.stringify(t.slice(0, 60)), '\n', await raw(s.port, t));
console.log(s.lines.join(''));
await s.server.close();
