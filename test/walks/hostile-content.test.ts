/**
 * Content that wants to be more than text: markup, scripts, addresses that run code, signs that turn the direction of
 * a line. Every publisher may write this, or could before addresses were checked, and an administrator opens it.
 *
 * Attack: a publisher stores a script in a title, a name, an address or the name of a further member, and waits for an
 * administrator whose session it could then use. Everything must stand there as the text that it is.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { storeEarlier } from '../support/service/earlier-documents.ts'

const MARKUP = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>"'><svg onload=window.hacked=3>`
const ADDRESSES = [
  'javascript:window.hacked=4',
  'data:text/html,<script>window.hacked=5</script>',
  ' java\tscript:window.hacked=6',
]
/** Right-to-left override: without isolation it would turn the rest of the line. */
const TURNED = `\u202e${MARKUP}`

const dashboard = await startDashboard({ appName: '<img src=x onerror=window.hacked=7> News' })
const { service, cast } = dashboard

/** Addresses that run code are only stored from before they were checked. */
const store = (model: string, body: JsonObject): Promise<JsonObject> => storeEarlier(service, model, body)

async function storeHostile(): Promise<Readonly<Record<string, string>>> {
  const [runs = '', data = '', tabs = ''] = ADDRESSES
  const further = { [`x${MARKUP.replaceAll('.', '')}`]: MARKUP }
  const language = await store('language', { code: MARKUP, name: `A ${MARKUP}`, nativeName: TURNED, ...further })
  const country = await store('country', { isoCode: MARKUP, name: `A ${MARKUP}`, flagUrl: runs, ...further })
  const topic = await store('topic', { name: `A ${MARKUP}`, description: TURNED, iconUrl: data, ...further })
  const source = await store('source', {
    ...{ name: `A ${MARKUP}`, description: MARKUP, url: tabs, sourceType: 'blog' },
    ...{ language, headquarters: country, ...further },
  })
  const headline = await store('headline', {
    ...{ title: `A ${MARKUP}`, excerpt: TURNED, url: runs, imageUrl: data },
    ...{ source, eventCountry: country, topic, ...further },
  })
  const ids = { languages: language, countries: country, topics: topic, sources: source, headlines: headline }
  return Object.fromEntries(Object.entries(ids).map(([path, { id }]) => [path, String(id)]))
}

/** What of the stored texts has become more than text. */
async function harm(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    if ('hacked' in window) found.push('a script ran')
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) found.push(`<${element.localName} ${name}>`)
        if (/^(?:href|src|action|formaction|xlink:href|data|poster)$/.test(name)) {
          const url = URL.parse(value, document.baseURI)
          if (url === null || !['http:', 'https:', 'mailto:', 'blob:'].includes(url.protocol))
            found.push(`${name}="${value}"`)
        }
      }
      if (['img', 'iframe', 'object', 'embed', 'base'].includes(element.localName)) found.push(`<${element.localName}>`)
      if (element.localName === 'script' && !(element as HTMLScriptElement).src) found.push('<script> without src')
    }
    return found
  })
}

describe('hostile content', { skip: browserMissing() }, () => {
  it('stands on every screen as the text that it is', async () => {
    const signedOut = await dashboard.open()
    await signedOut.reads(/<img src=x onerror=/)
    assert.deepEqual(await harm(signedOut), [])
    const ids = await storeHostile()
    const page = await dashboard.openAs(cast.admin)
    const lists = Object.keys(ids).map((path) => `#/${path}?q=onerror`)
    const editors = Object.entries(ids).map(([path, id]) => `#/${path}/${id}`)
    const texts = (): Promise<string> =>
      page.inspect({ role: 'main' }, (main) => {
        const fields = [...main.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
        return main.innerText + fields.map(({ value }) => value).join(' ')
      })
    for (const hash of ['#/', ...lists, ...editors]) {
      await page.open(`/${hash}`)
      await page.waitFor(async () => (await texts()).includes('<img src=x onerror='), `the hostile text at ${hash}`)
      assert.deepEqual(await harm(page), [], hash)
    }
    await page.expectNoProblems()
  })

  it('stands as text in the history of a document, and in the trash', async () => {
    const { id } = await store('topic', { name: `B ${MARKUP}`, description: TURNED, iconUrl: 'data:text/html,x', [`y${MARKUP.replaceAll('.', '')}`]: MARKUP })
    const page = await dashboard.openAs(cast.admin, `#/topics/${String(id)}?view=history`)
    const reads = (selector: string): Promise<unknown> =>
      page.waitFor(
        () => page.evaluate((wanted) => document.querySelector<HTMLElement>(wanted)?.innerText.includes('<img src=x') === true, selector),
        `the hostile text in ${selector}`,
      )
    await page.waitFor(() => page.evaluate(() => document.querySelector<HTMLElement>('.history summary')?.click() === undefined && document.querySelector('.history details[open]') !== null), 'the change')
    await reads('.history-change')
    assert.deepEqual(await harm(page), [])
    await service.data('DELETE', `/${String(id)}`, { model: 'topic' }, { token: cast.admin.token })
    await page.open('/#/trash?model=topic')
    await reads('.table-body')
    assert.deepEqual(await harm(page), [])
    await page.expectNoProblems()
  })

  it('and an address of the page that is made up opens nothing but the page', async () => {
    const page = await dashboard.openAs(cast.admin)
    for (const hash of [
      `#/${encodeURIComponent(MARKUP)}`,
      '#/headlines/..%2F..%2Fhealthz',
      '#/headlines/%00',
      '#/%E0%A4%A',
      `#/headlines?q=${encodeURIComponent(MARKUP)}&status=${encodeURIComponent(MARKUP)}&sort=${encodeURIComponent(MARKUP)}`,
      `#/operations?part=${encodeURIComponent('__proto__')}`,
      '#/constructor',
    ]) {
      await page.open(`/${hash}`)
      await page.loaded()
      assert.deepEqual(await harm(page), [], hash)
    }
    await page.expectNoProblems([{ status: 400 }, { status: 404 }])
  })
})
