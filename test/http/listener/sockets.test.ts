// What only raw bytes can show: request smuggling, malformed HTTP, slow senders, bodies that are too large.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { raw, type Service, SHOP, startService } from '../service.ts';

const HOST = 'Host: shop.example\r\n';
const AUTH = `Authorization: ${SHOP}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const BODY = '{"amount":1}';
const POST = 'POST /test/orders/create HTTP/1.1\r\n';

describe('bytes', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.server.close());

  const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

  test('a chunked body and a measured one are read alike', async () => {
    const measured = await raw(
      service.port,
      `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`,
    );
    const pieces = await raw(
      service.port,
      `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunked}`,
    );
    assert.match(measured, /^HTTP\/1\.1 201 /);
    assert.match(pieces, /^HTTP\/1\.1 201 /);
    assert.equal(pieces.split('\r\n\r\n')[1], measured.split('\r\n\r\n')[1]);
  });

  const second = `GET /test/orders/smuggled HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
  const smuggling: Readonly<Record<string, string>> = {
    'both length fields': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: ${BODY.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    'both, the other way round': `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}${second}`,
    'two lengths': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: ${BODY.length}\r\nContent-Length: 0\r\n\r\n${BODY}`,
    'two equal lengths': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: ${BODY.length}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    'a list of lengths': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: 12, 12\r\n\r\n${BODY}`,
    'a signed length': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: +12\r\n\r\n${BODY}`,
    'a hexadecimal length': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: 0xc\r\n\r\n${BODY}`,
    'a length out of range': `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: 99999999999999999999999\r\n\r\n${BODY}`,
    'an unknown transfer coding': `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: xchunked\r\n\r\n${chunked}${second}`,
    'chunked not last': `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}${second}`,
    'a space before the colon': `${POST}${HOST}${AUTH}Transfer-Encoding : chunked\r\n\r\n${chunked}${second}`,
    'a folded field': `${POST}${HOST}${AUTH}X-Fold: a\r\n Transfer-Encoding: chunked\r\n\r\n${second}`,
    'a bare line feed': `GET /test/ping HTTP/1.1\n${HOST.trim()}\n${AUTH.trim()}\n\n`,
    'a bare carriage return': `GET /test/ping HTTP/1.1\r\nHost: a\rX: b\r\n\r\n`,
    'U+0000 in a field': `GET /test/ping HTTP/1.1\r\n${HOST}X-Zero: a\0b\r\n\r\n`,
    'a space in the target': `GET /test/ping x HTTP/1.1\r\n${HOST}\r\n`,
    'a chunk of no size': `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}\r\n0\r\n\r\n`,
    'a chunk size out of range': `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
    'no host': `GET /test/ping HTTP/1.1\r\n${AUTH}\r\n`,
    'two hosts': `GET /test/ping HTTP/1.1\r\n${HOST}Host: other.example\r\n${AUTH}\r\n`,
    'two credentials': `GET /test/ping HTTP/1.1\r\n${HOST}${AUTH}Authorization: Basic eDp5\r\n\r\n`,
    'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'no protocol': 'nonsense\r\n\r\n',
    'a handshake of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'a tunnel': `CONNECT shop.example:443 HTTP/1.1\r\n${HOST}\r\n`,
  };
  for (const [name, bytes] of Object.entries(smuggling)) {
    test(`refused once, with 400 and our own body: ${name}`, async () => {
      const answer = await raw(service.port, Buffer.from(bytes, 'latin1'), '}');
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.equal(answer.split('HTTP/1.1 ').length, 2, 'one answer');
      const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Record<string, unknown>;
      assert.ok(body.kind === 'bad_request' || body.type === 'about:blank', answer);
      assert.match(answer, /\r\nx-request-id: /);
    });
  }

  test('a header over 16 KiB is 431', async () => {
    const answer = await raw(service.port, `GET /test/ping HTTP/1.1\r\n${HOST}X-Large: ${'a'.repeat(17_000)}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 431 /);
    assert.match(answer, /\{"kind":"headers_too_large"\}$/);
  });

  test('the absolute form of a target is understood', async () => {
    const answer = await raw(
      service.port,
      `GET http://shop.example/test/ping HTTP/1.1\r\n${HOST}${AUTH}Connection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  test('OPTIONS * is answered', async () => {
    const answer = await raw(service.port, `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 204 /);
    assert.match(answer, /\r\nallow: GET, HEAD, /i);
  });

  test('HTTP/1.0 works without a host', async () => {
    assert.match(await raw(service.port, `GET /test/ping HTTP/1.0\r\n${AUTH}\r\n`), /^HTTP\/1\.1 200 /);
  });

  test('a body over 64 KiB is 413, also for a client that sends all of it, and the connection goes on', async () => {
    const large = `{"amount":1,"segment":"${'a'.repeat(200_000)}"}`;
    const next = `GET /test/ping HTTP/1.1\r\n${HOST}${AUTH}Connection: close\r\n\r\n`;
    const answer = await raw(
      service.port,
      `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: ${large.length}\r\n\r\n${large}${next}`,
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /\{"kind":"too_large"\}HTTP\/1\.1 200 /);
  });

  test('a chunked body over 64 KiB is 413', async () => {
    const piece = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    const answer = await raw(
      service.port,
      `${POST}${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(3)}0\r\n\r\n`,
      '}',
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  test('a body without end is cut', async () => {
    const piece = Buffer.alloc(256 * 1024, 'a');
    const sent = await new Promise<number>((resolve) => {
      let bytes = 0;
      const socket = connect(service.port, '127.0.0.1', () =>
        socket.write(`${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: 1000000000\r\n\r\n`),
      );
      const more = (error?: Error | null): void => {
        if (error) return;
        bytes += piece.length;
        socket.write(piece, more);
      };
      socket.once('data', () => more());
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(bytes));
    });
    assert.ok(sent < 50_000_000, `${sent} bytes were taken`);
  });

  test('a body that would be refused is not asked for', async () => {
    const header = (length: number): string =>
      `${POST}${HOST}${AUTH}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    assert.match(await raw(service.port, header(BODY.length), '\r\n\r\n'), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    assert.match(await raw(service.port, header(100_000), '}'), /^HTTP\/1\.1 413 /);
  });
});

describe('slow senders', () => {
  let service: Service;
  before(async () => {
    service = await startService({ timeouts: { headersMs: 200, requestMs: 400, checkMs: 50 } });
  });
  after(() => service.server.close());

  test('a header that does not end is 408', async () => {
    const answer = await raw(service.port, `GET /test/ping HTTP/1.1\r\n${HOST}X-Slow: `);
    assert.match(answer, /^HTTP\/1\.1 408 /);
  });

  test('a body that does not end is 408 in the shape of the API', async () => {
    const answer = await raw(service.port, `${POST}${HOST}${AUTH}${JSON_TYPE}Content-Length: 100\r\n\r\n{"amount"`);
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /\{"kind":"timeout"\}$/);
  });

  test('wrong credentials are refused before the body is there', async () => {
    const answer = await raw(service.port, `${POST}${HOST}${JSON_TYPE}Content-Length: 100\r\n\r\n`, '}');
    assert.match(answer, /^HTTP\/1\.1 401 /);
  });

  test('a connection that says nothing is closed', async () => {
    assert.match(await raw(service.port, ''), /^HTTP\/1\.1 408 /);
  });
});
