/** One request whose response is taken as it comes: not decompressed. */
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends the text of a whole request, as the load generator has it. */
export function sendRaw(port: number, text: string): Promise<RawResponse> {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(lines.map((one) => one.split(': ') as [string, string]))
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
    buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }), reject)
  })
  sent.once('error', reject).end(text.slice(end + 4))
  return promise
}
