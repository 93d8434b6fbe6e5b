/** A host of pictures, over TLS, that remembers what it was asked for: good ones, and those of an attacker. */
import { createServer } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import { TEST_CERTIFICATE, TEST_KEY } from '../service/test-certificate.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface PictureHost {
  /** `https://localhost:PORT`; the certificate is one that only tests accept. */
  readonly url: string
  readonly asked: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[]
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.hacked=1;top.hacked=1</script></svg>'

/** `elsewhere` is where `/redirect` leads. */
export async function startPictureHost(t: Cleanup, elsewhere: string): Promise<PictureHost> {
  const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = []
  const good = png(320, 180)
  const huge = png(9_000, 9_000)
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, ({ url: path = '/', headers }, response) => {
    asked.push({ path, headers })
    const send = (status: number, type: string, body: string | Buffer): void => void response.writeHead(status, { 'content-type': type }).end(body)
    switch (path.replace(/\?.*/, '')) {
      case '/good.png':
        return send(200, 'image/png', good)
      case '/huge.png':
        return send(200, 'image/png', huge)
      case '/script.svg':
        return send(200, 'image/svg+xml', SVG)
      case '/page':
        return send(200, 'text/html', '<script>top.hacked=1</script>')
      case '/cookie':
        response.setHeader('set-cookie', 'reader=known; SameSite=None; Secure; Path=/')
        return send(200, 'text/plain', 'kept')
      case '/password':
        response.setHeader('www-authenticate', 'Basic realm="Sign in to Dateline"')
        return send(401, 'text/plain', '')
      case '/redirect':
        response.setHeader('location', elsewhere)
        return send(302, 'text/plain', '')
      default:
        return send(404, 'text/plain', 'not here')
    }
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, asked }
}

/** A black picture of one bit for each point (https://www.w3.org/TR/png-3/). */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[['IHDR', header] as const, ['IDAT', deflateSync(rows)] as const, ['IEND', Buffer.alloc(0)] as const].map(chunk),
  ])
}

function chunk([name, data]: readonly [string, Buffer]): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
