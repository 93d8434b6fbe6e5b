/** Pictures of our own in the editor: chosen, shrunk, described and sent; chosen again from the library; shown in lists. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const IMAGE = { role: 'textbox', name: 'Image' } as const
const DIALOG = { role: 'dialog', name: 'Picture' } as const
const USE = button('Use this picture')
const OWN = /\/media\/[0-9a-f]{64}\.[a-z]{3,4}$/

/** Gives the form a picture that the page draws, as a dialog of the system, a drop or a paste would. */
const give = (page: Page, how: 'choose' | 'drop' | 'paste', width: number, height: number): Promise<unknown> =>
  page.evaluate(
    async (way: string, w: number, h: number) => {
      const canvas = document.createElement('canvas')
      ;[canvas.width, canvas.height] = [w, h]
      const context = canvas.getContext('2d')
      if (context === null) throw new Error('no canvas')
      const colours = context.createLinearGradient(0, 0, w, h)
      for (const [at, colour] of [[0, '#146'], [0.6, '#e94'], [1, '#fed']] as const) colours.addColorStop(at, colour)
      context.fillStyle = colours
      context.fillRect(0, 0, w, h)
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
      const transfer = new DataTransfer()
      transfer.items.add(new File([blob as Blob], 'ferry.png', { type: 'image/png' }))
      const input = document.querySelector<HTMLInputElement>('.picture-tools input[type=file]')
      if (input === null) throw new Error('no input')
      if (way === 'choose') {
        input.files = transfer.files
        input.dispatchEvent(new Event('change'))
      } else if (way === 'drop') input.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
      else input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))
    },
    how,
    width,
    height,
  )

const address = (page: Page): Promise<string> => page.inspect(IMAGE, (input) => (input as HTMLInputElement).value)
const pictures = async (): Promise<readonly JsonObject[]> => (await service.call('GET', '/api/v1/media', { token: cast.admin.token })).at('data.items') as readonly JsonObject[]
const drawn = (page: Page, within: string, count: number): Promise<unknown> =>
  page.waitFor(
    () =>
      page.evaluate(
        (selector: string) => [...document.querySelectorAll<HTMLImageElement>(`${selector} img`)].filter((one) => one.naturalWidth > 0 && getComputedStyle(one).visibility === 'visible').length,
        within,
      ).then((found) => found === count),
    `${count} pictures in ${within}`,
  )

describe('pictures of our own', { skip: browserMissing() }, () => {
  let page: Page

  it('a file is shrunk, described and sent, and its address stands in the form', async () => {
    page = await dashboard.openAs(cast.publisher, '#/headlines/new')
    await page.find(IMAGE)
    await give(page, 'choose', 3_000, 1_500)
    await page.find(DIALOG)
    await page.find(button('Click what must stay in sight where the picture is cut'))
    await page.fill({ role: 'textbox', name: 'What it shows, for those who do not see it' }, 'A ferry at dusk')
    await page.click(button('Click what must stay in sight where the picture is cut'))
    await page.press('ArrowLeft', 'ArrowLeft', 'ArrowDown')
    await page.click(USE)
    await page.gone(DIALOG)
    assert.match(await address(page), OWN)
    const [picture] = await pictures()
    const { width, height, type, alt, focus, url } = picture ?? {}
    assert.deepEqual({ width, height, type, alt, focus }, { width: 2_000, height: 1_000, type: 'image/webp', alt: 'A ferry at dusk', focus: { x: 40, y: 55 } })
    assert.equal(await address(page), url)
    // The preview shows it without a question: no other host is asked.
    await drawn(page, '.tile', 1)
    await page.expectNoProblems()
  })

  it('a picture is dropped and pasted as well, and a small one keeps its size', async () => {
    for (const [how, width] of [['drop', 60], ['paste', 70]] as const) {
      await give(page, how, width, 40)
      await page.find(DIALOG)
      await page.waitFor(async () => (await page.inspect(USE, (one) => (one as HTMLButtonElement).disabled)) === false, 'the picture to be ready')
      await page.click(USE)
      await page.gone(DIALOG)
      const [picture] = (await pictures()).filter((one) => one['width'] === width)
      assert.equal(await address(page), picture?.['url'])
    }
    await page.expectNoProblems()
  })

  it('an earlier one is chosen from the library: of all, of those without use, or of those found by what they show and by headlines', async () => {
    const [newest] = await pictures()
    const large = (await pictures()).find(({ width }) => width === 2_000)
    await dashboard.store('headline', { title: 'Night ferries', imageUrl: String(large?.['url']) })
    await page.click(button('Library…'))
    await page.find(button('A ferry at dusk'))
    await drawn(page, '.picture-grid', 3)
    await page.click({ role: 'checkbox', name: 'Not used' })
    await drawn(page, '.picture-grid', 2)
    const search = { role: 'searchbox', name: 'Search', within: await page.find(DIALOG) } as const
    await page.fill(search, 'dusk')
    await page.reads(/There are no pictures here/, DIALOG)
    await page.click({ role: 'checkbox', name: 'Not used' })
    await page.find(button('A ferry at dusk'))
    await page.fill(search, 'night')
    await drawn(page, '.picture-grid', 1)
    await page.click(button('Night ferries'))
    await page.gone(DIALOG)
    assert.equal(await address(page), large?.['url'])
    assert.notEqual(newest?.['url'], large?.['url'])
    await page.expectNoProblems()
  })

  it('what it shows is changed later, and it is taken out of the headline', async () => {
    await page.click(button('Describe…'))
    const within = await page.find(DIALOG)
    const shows = await page.find({ role: 'textbox', name: 'What it shows, for those who do not see it' })
    assert.equal(shows.value, 'A ferry at dusk')
    await page.fill(shows, 'A ferry at dawn')
    await page.click({ ...button('Save'), within })
    await page.gone(DIALOG)
    const { alt, focus } = (await pictures()).find(({ width }) => width === 2_000) ?? {}
    assert.deepEqual({ alt, focus }, { alt: 'A ferry at dawn', focus: { x: 40, y: 55 } })
    await page.click(button('Remove'))
    assert.equal(await address(page), '')
    await page.gone(button('Remove'))
    await page.gone(button('Describe…'))
    await drawn(page, '.tile', 0)
    await page.expectNoProblems()
  })

  // The browser would open the file in place of the page, and what was typed would be gone.
  it('a file that is dropped and is no picture does not leave the page', async () => {
    const isTaken = await page.evaluate(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['notes'], 'notes.txt', { type: 'text/plain' }))
      return !document.querySelector('.writing')?.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })
    assert.ok(isTaken)
    await page.click(USE)
    await page.reads(/expected JPEG, PNG/)
    await page.click({ ...button('Cancel'), within: await page.find(DIALOG) })
    await page.gone(DIALOG)
    await page.expectNoProblems([{ status: 400, url: '/media' }])
  })

  it('what the service refuses is told, and the form stays as it was', async () => {
    const before = await address(page)
    await page.evaluate(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script>'], 'evil.svg', { type: 'image/svg+xml' }))
      const input = document.querySelector<HTMLInputElement>('.picture-tools input[type=file]')
      if (input === null) throw new Error('no input')
      input.files = transfer.files
      input.dispatchEvent(new Event('change'))
    })
    await page.find(DIALOG)
    await page.waitFor(async () => (await page.inspect(USE, (one) => (one as HTMLButtonElement).disabled)) === false, 'the file to be read')
    await page.click(USE)
    await page.reads(/found SVG, which can hold scripts/)
    await page.click({ ...button('Cancel'), within: await page.find(DIALOG) })
    await page.gone(DIALOG)
    assert.equal(await address(page), before)
    await page.expectNoProblems([{ status: 400, url: '/media' }])
  })

  it('lists show them at three widths, and an address of this site on another host too', async () => {
    const own = String((await pictures()).find(({ width }) => width === 2_000)?.['url'])
    await dashboard.store('headline', { title: 'Moved', imageUrl: `https://moved.example${new URL(own).pathname}` })
    await dashboard.store('headline', { title: 'Elsewhere', imageUrl: 'https://elsewhere.example/p.jpg' })
    await page.open('/robots.txt')
    await page.open('/#/headlines')
    await page.find({ role: 'link', name: 'Moved' })
    for (const width of [1_280, 800, 375]) {
      await page.resize({ width, height: 800 })
      await drawn(page, '.table-body', 2)
    }
    await page.expectNoProblems()
  })

  it('a reader of another language finds the same tools', async () => {
    const arabic = await dashboard.openAs(cast.publisher, '#/headlines/new', { language: 'ar' })
    await arabic.click(button('المكتبة…'))
    await arabic.find({ role: 'dialog', name: 'صورة' })
    await drawn(arabic, '.picture-grid', 3)
    await arabic.expectNoProblems()
  })
})
