/**
 * A server of feeds for a benchmark, a program of its own: a feed of fifty items at each address of this machine, with items that
 * no other address has. Tells its port as a message.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ITEMS = 50

const server = createServer(({ headers: { host = '' } }, response) => {
  const site = `http://${host}`
  const items = Array.from({ length: ITEMS }, (_, n) => itemOf(site, n)).join('')
  response.writeHead(200, { 'content-type': 'application/rss+xml' })
  response.end(`<rss version="2.0"><channel><title>News of ${host}</title><link>${site}/</link>${items}</channel></rss>`)
})
server.listen(0, () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

function itemOf(site: string, n: number): string {
  const text = `The harbour council has agreed on ferry line ${n} that will take passengers and bicycles across the bay twice a day. `
  return (
    `<item><guid isPermaLink="false">${site}/${n}#0</guid><title>Ferry line ${n} of ${site} opens</title><link>${site}/stories/${n}</link>` +
    `<description><![CDATA[<p>${text.repeat(4)}</p>]]></description><category>Ferries</category><pubDate>Sun, 01 Mar 2026 09:${10 + n}:00 GMT</pubDate>` +
    `<enclosure url="${site}/${n}.jpg" length="1" type="image/jpeg"/></item>`
  )
}
