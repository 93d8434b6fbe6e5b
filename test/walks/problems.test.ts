/** Problems in the reader's language: at fields while typing, after a try to save, and in dialogs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import { HEADLINE } from '../../scripts/tools/data-bodies.ts'

const { service, cast, openAs } = await startDashboard()

describe('problems', { skip: browserMissing() }, () => {
  it('of a headline are told in German', async () => {
    const page = await openAs(cast.admin, '#/headlines/new', { language: 'de' })
    const at = (name: string, role: string, text: string): Promise<unknown> =>
      page.waitFor(async () => (await page.find({ role, name })).description === text, text)
    await page.click(button('Veröffentlichen'))
    await at('Titel', 'textbox', 'Geben Sie einen Titel ein')
    await page.fill({ role: 'textbox', name: 'Titel' }, 'Fähre')
    await at('Titel', 'textbox', '')
    await page.click(button('Veröffentlichen'))
    await at('Quelle', 'combobox', 'Wählen Sie eine Quelle')
    await at('Thema', 'combobox', 'Wählen Sie ein Thema')
    await at('Land', 'combobox', 'Wählen Sie ein Land')
    await page.expectNoProblems([{ status: 400 }])
  })

  it('of a new user are told in Arabic, where an account is shown beside its problem', async () => {
    const page = await openAs(cast.admin, '#/users', { language: 'ar' })
    await page.click(button('إضافة مستخدم'))
    const email = { role: 'textbox', name: 'البريد الإلكتروني' }
    await page.type(email, 'unknown')
    await page.press('Enter')
    await page.waitFor(async () => (await page.find(email)).description === 'أدخل بريدًا إلكترونيًا صالحًا', 'the problem')
    await page.fill(email, cast.publisher.email)
    await page.press('Enter')
    await page.waitFor(async () => (await page.find(email)).description.includes('حساب بالفعل'), 'the other problem')
    await page.expectNoProblems([
      { status: 400, url: '/data' },
      { status: 409, url: '/data' },
    ])
  })

  it('are none where another headline has the address: that is told with a link, and saving goes on', async () => {
    const body = { ...HEADLINE, title: 'New ferry line', url: 'https://harbour.example/ferry' }
    const made = await service.data('POST', '', { model: 'headline' }, { token: cast.publisher.token, body })
    assert.equal(made.status, 201, made.text)
    const page = await openAs(cast.publisher, '#/headlines/new')
    await page.fill({ role: 'textbox', name: 'Link' }, 'http://harbour.example/ferry/?utm_source=mail')
    const link = { role: 'link', name: /^New ferry line/ } as const
    await page.find({ role: 'StaticText', name: 'There is already a headline with this address:' })
    const region = await page.inspect(link, (a) => [a.closest('[aria-live=polite]') !== null, a.getAttribute('target'), a.getAttribute('href')])
    assert.deepEqual(region, [true, '_blank', `#/headlines/${String(made.at('data.id'))}`])
    await page.click(button('Save as draft'))
    await page.waitFor(async () => /#\/headlines\/[0-9a-f]{24}$/.test(await page.url()), 'the draft to be saved')
    await page.fill({ role: 'textbox', name: 'Link' }, 'https://harbour.example/other')
    await page.gone({ role: 'link', name: /^New ferry line/ })
    await page.expectNoProblems()
  })
})
