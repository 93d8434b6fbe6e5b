/** Publications: an administrator makes one while seeing what it has, hands out its address, and people read it without an account. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { HEADLINE, PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { accessibilityFindings, expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, confirm, link, startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysFindings } from '../support/browser/room.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const { id: _, createdAt: _c, updatedAt: _u, ...BODY } = PUBLICATION
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>'
const HOUR_MS = 3_600_000
const TITLES: Readonly<Record<string, readonly string[]>> = {
  en: ['New ferry line opens', 'Regatta won by a length', 'Gulls nest on the lighthouse again', HOSTILE, 'Harbour board meets on Thursday', 'A word of uncommonlengththatnobodywouldeverbreakapart'],
  ar: ['افتتاح خط عبّارات جديد', 'سباق القوارب ينتهي بفارق ضئيل', 'النوارس تعود إلى المنارة', 'اجتماع مجلس الميناء يوم الخميس'],
}
/** What a person who looks at the page on each device has. */
const WIDTHS = [360, 768, 1440] as const

async function storeStories(): Promise<void> {
  let n = 0
  for (const [language, titles] of Object.entries(TITLES)) {
    const topics = await Promise.all(['Ferries', 'Sport'].map((name) => dashboard.store('topic', { name: language === 'ar' ? `${name} عربي` : name })))
    for (const title of [...titles, ...titles]) {
      const publishedAt = new Date(service.now() - n * 5 * HOUR_MS).toISOString()
      await dashboard.store('headline', { ...HEADLINE, title, excerpt: `${language} ${title}`, topic: { id: topics[n % 2] ?? '' }, url: `https://harbour.example.org/${n++}`, publishedAt })
    }
  }
}

async function storePublication(language: string, more: JsonObject = {}): Promise<string> {
  const members = { ...BODY, name: `news-${language}`, title: language === 'ar' ? 'أخبار المرفأ' : 'Harbour News', description: language === 'ar' ? 'ما يحدث على الأرصفة' : BODY.description, language }
  const body = { ...members, filter: JSON.stringify({ excerpt: { $regex: `^${language} ` } }), members: ['excerpt', 'source', 'topic', 'eventCountry'], ...more } as JsonObject
  const response = await service.data('POST', '', { model: 'publication' }, { token: cast.admin.token, body })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}

const isUnharmed = (page: Page): Promise<boolean> => page.evaluate(() => !('hacked' in window) && document.querySelector('main img:not(.picture), main script') === null)

describe('the page of a publication', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    await storeStories()
    for (const language of ['en', 'ar']) await storePublication(language)
    page = await dashboard.open()
  })

  for (const language of ['en', 'ar']) {
    for (const width of WIDTHS) {
      it(`is for everybody, in ${language} at ${width} pixels`, async () => {
        await page.resize({ width, height: 1_000 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulate({ colorScheme })
          await page.open(`/p/news-${language}/`)
          assert.deepEqual(await sidewaysFindings(page), [])
          assert.deepEqual(await accessibilityFindings(page, { keyboard: colorScheme === 'light' && width === 360 }), [])
          await page.screenshot(`publication-${language}-${width}-${colorScheme}`)
        }
        assert.equal(await page.evaluate(() => document.documentElement.dir), language === 'ar' ? 'rtl' : 'ltr')
        assert.ok(await isUnharmed(page), 'a title is text')
        await page.expectNoProblems()
      })
    }
  }

  it('leads to topics and sources, searches, and says where it leads nowhere', async () => {
    await page.emulate({ colorScheme: 'light' })
    await page.open('/p/news-en/')
    await page.click({ ...link('Ferries'), within: await page.find({ role: 'navigation', name: 'Topics' }) })
    await page.find({ role: 'heading', name: 'Ferries' })
    assert.match(await page.url(), /\/p\/news-en\/\?topic=/)
    await page.click(link('All stories'))
    await page.fill({ role: 'searchbox', name: 'Search' }, 'regatta')
    await page.press('Enter')
    await page.find({ role: 'heading', name: 'regatta' })
    assert.equal(await page.evaluate(() => document.querySelectorAll('article').length), 2)
    await page.fill({ role: 'searchbox', name: 'Search' }, 'zebra')
    await page.press('Enter')
    await page.reads(/No stories found\./)
    await expectAccessible(page)
    await page.expectNoProblems()
  })

  it('moves nothing while it loads, on a slow machine too', async () => {
    await page.devTools('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.open('/p/news-en/')
    await page.reload()
    const shifts = (pushes: boolean): Promise<number> =>
      page.evaluate(async (isPushed) => {
        const frames = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        let sum = 0
        const add = (list: PerformanceEntryList): void => list.forEach((entry) => (sum += (entry as unknown as { readonly value: number }).value))
        const observer = new PerformanceObserver((list) => add(list.getEntries()))
        observer.observe({ type: 'layout-shift', buffered: true })
        await frames()
        if (isPushed) document.body.prepend(Object.assign(document.createElement('p'), { textContent: 'x', style: 'height: 20rem' }))
        await frames()
        add(observer.takeRecords())
        return sum
      }, pushes)
    assert.equal(await shifts(false), 0)
    assert.ok((await shifts(true)) > 0, 'a shift would be seen')
    const [short, long] = await page.evaluate(() => {
      const widthOf = (height: string): number => {
        document.body.style.height = height
        return document.body.clientWidth
      }
      return [widthOf('1rem'), widthOf('300rem')]
    })
    assert.equal(long, short, 'the scroll bar has its room before there is one')
    await page.devTools('Emulation.setCPUThrottlingRate', { rate: 1 })
  })
})

describe('publications in the dashboard', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/publications/new')
  })

  it('an administrator makes one, and sees what readers get', async () => {
    await page.fill({ role: 'textbox', name: 'Name' }, 'The quays!')
    await page.fill({ role: 'textbox', name: 'Title' }, 'At the Quays')
    await page.reads(/New ferry line opens/, { role: 'main' })
    assert.ok(await isUnharmed(page))
    await page.fill({ role: 'textbox', name: 'Filter' }, '{"title":')
    await page.reads(/Cannot read filter|Enter a filter/, { role: 'main' })
    await page.fill({ role: 'textbox', name: 'Filter' }, '{"title":"Regatta won by a length"}')
    await page.waitFor(() => page.evaluate(() => document.querySelectorAll('.preview-items > li').length === 2), 'two stories')
    await page.fill({ role: 'textbox', name: 'Name' }, 'quays')
    assert.deepEqual(await sidewaysFindings(page), [])
    await expectAccessible(page)
    await page.screenshot('publication-new')
    await page.click(button('Save'))
    await page.find({ role: 'heading', name: 'At the Quays' })
    await page.find(link('/p/quays/'))
    await page.expectNoProblems([{ status: 400, url: '/publications/preview' }])
  })

  it('and makes it secret, with an address that is shown once', async () => {
    await page.select({ role: 'combobox', name: 'Open to' }, 'Those who know its secret address')
    await page.inspect({ role: 'combobox', name: 'Open to' }, (select) => void select.dispatchEvent(new Event('input')))
    await page.click(button('Save'))
    await page.find({ role: 'StaticText', name: 'Saved' })
    await page.click(button('New secret address'))
    await confirm(page, 'New secret address')
    const dialog = await page.find({ role: 'dialog', name: 'Secret address' })
    const address = /http:\S+\/p\/quays\/[\w-]{24}\//.exec(await page.text(dialog))?.[0] ?? ''
    await expectAccessible(page)
    assert.equal((await fetch(address)).status, 200)
    assert.equal((await fetch(`${service.url}/p/quays/`)).status, 404)
    await page.click(button('I have kept it'))
    await page.open('#/publications')
    await page.find(link('At the Quays'))
    await page.reads(/\/p\/quays\/…/)
    assert.equal((await page.text()).includes(address), false)
    await page.screenshot('publication-list')
    await expectAccessible(page)
    await page.expectNoProblems()
  })

  it('and deletes it, and takes that back', async () => {
    await page.click(link('At the Quays'))
    await page.click(button('Delete'))
    await confirm(page, 'Delete')
    await page.gone(link('At the Quays'))
    await page.click(button('Undo'))
    await page.find(link('At the Quays'))
    await page.expectNoProblems()
  })

  it('and finds it in the trash later', async () => {
    await page.click(link('At the Quays'))
    await page.click(button('Delete'))
    await confirm(page, 'Delete')
    await page.gone(link('At the Quays'))
    await page.open('/#/trash?model=publication')
    await page.click({ role: 'checkbox', name: 'Select At the Quays' })
    await page.click(button('Restore'))
    await page.reads(/The trash is empty/, { role: 'main' })
    await page.open('/#/publications')
    await page.find(link('At the Quays'))
    await page.expectNoProblems()
  })

  it('a publisher does not see them', async () => {
    const other = await dashboard.openAs(cast.publisher, '#/publications')
    await other.find({ role: 'heading', name: 'Page not found' })
    await other.close()
  })
})
