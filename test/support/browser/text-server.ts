/** Small pages for tests of the browser's checks, from real servers of the loopback. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

/** By their paths; what they are is told by the ending, and without one they are pages. */
export type Texts = Readonly<Record<string, string>>

export interface TextServers {
  /** Starts one and gives its address. Beside the texts, `/status/N` is answered N. */
  serve(texts: Texts, policy?: string): Promise<string>
}

/** Servers that end with the tests. */
export function textServers(t: Cleanup): TextServers {
  const open: Server[] = []
  t.after(() => {
    for (const server of open) {
      server.closeAllConnections()
      server.close()
    }
  })
  return {
    async serve(texts, policy = '') {
      const server = createServer((request, response) => {
        const path = request.url ?? '/'
        const [, status] = /^\/status\/(\d+)$/.exec(path) ?? []
        // Browsers ask for it of their own accord.
        const text = path === '/favicon.ico' ? '' : texts[path]
        const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html'
        response.setHeader('content-type', `${type}; charset=utf-8`)
        response.setHeader('access-control-allow-origin', '*')
        if (policy !== '') response.setHeader('content-security-policy', policy)
        response.statusCode = status === undefined ? (text === undefined ? 404 : 200) : Number(status)
        response.end(text ?? '')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      open.push(server)
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    },
  }
}
