/**
 * `dateline health`: asks the service on this machine how it is, for the health checks of containers, whose image has no
 * shell and no curl. It reads the settings that `serve` reads to find the address.
 */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { systemReason } from '../../base/system-error.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { EXIT, UsageError, type Command } from '../command.ts'
import { singleLine } from '../print-table.ts'

const WAIT_MS_MAX = 5_000
const BODY_BYTES_MAX = 64 * 1024
/** Addresses that stand for all of the machine, and one of them that can be called. */
const CALLABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' }

export const healthCommand: Command = {
  name: 'health',
  summary: 'ask the service on this machine for its health; for the health check of a container',
  options: [{ flag: '--ready', meaning: 'ask whether it can take requests (/readyz), not only whether it runs (/healthz)' }],
  settings: ['host', 'port', 'listen', 'tlsCert', 'tlsKey'],
  examples: ['dateline health', 'dateline health --ready --port 8080'],
  async run({ options, settings }, { environment, stdout, stderr }) {
    const config = readConfig(settings, environment)
    if (config.listen === undefined && config.port === 0) throw new UsageError('dateline health needs the --port of the service, found 0')
    const path = options.has('--ready') ? '/readyz' : '/healthz'
    try {
      const { status, body } = await ask(config, path)
      const text = `${status} ${singleLine(body)}\n`
      if (status === 200) stdout.write(text)
      else stderr.write(text)
      return status === 200 ? EXIT.ok : EXIT.failed
    } catch (error) {
      stderr.write(`Cannot reach the service at ${addressText(config)}: ${systemReason(error)}\n`)
      return EXIT.failed
    }
  },
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Rejects with the error of the connection, or where the service is silent. */
async function ask({ host, port, listen, tlsCert }: Config, path: string): Promise<Answer> {
  const target = listen === undefined ? { host: CALLABLE[host] ?? host, port } : { socketPath: listen.path }
  const options = {
    ...target,
    path,
    headers: { host: 'localhost' },
    agent: false,
    signal: AbortSignal.timeout(WAIT_MS_MAX),
    // The certificate is for the public name. Nothing secret is sent, and only the status is believed.
    ...(tlsCert === undefined ? {} : { rejectUnauthorized: false }),
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = tlsCert === undefined ? requestHttp : requestHttps
    send(options, resolve).on('error', reject).end()
  })
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) {
    body += String(chunk)
    if (body.length > BODY_BYTES_MAX) break
  }
  return { status: response.statusCode ?? 0, body: body.slice(0, BODY_BYTES_MAX) }
}

function addressText({ host, port, listen }: Config): string {
  return listen === undefined ? `${host}:${port}` : `unix:${listen.path}`
}
