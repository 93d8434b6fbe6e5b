/** Problems in the reader's language: at fields while typing, after a try to save, and in dialogs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { HEADLINE } from '../support/service/data-bodies.ts'

const { service, cast, open, openAs } = await startDashboard()
type Target = Parameters<Page['find']>[0]
const says = (page: Page, at: Target, text: string): Promise<unknown> =>
  page.waitFor(async () => (await page.find(at)).description === text, text)
const button = (name: string): { role: string; name: string } => ({ role: 'button', name })

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

  it('of a link and of a code are told at the field, before anything is saved', async () => {
    const page = await openAs(cast.publisher, '#/headlines/new')
    const link = { role: 'textbox', name: 'Link' }
    await page.fill(link, 'javascript:alert(1)')
    await says(page, link, 'Enter a link that begins with http:// or https://')
    await page.fill(link, 'https://harbour.example/a')
    await says(page, link, '')
    const other = await openAs(cast.admin, '#/countries/new')
    const code = { role: 'textbox', name: 'ISO code' }
    await other.fill(code, 'is')
    await says(other, code, 'Enter two capital letters of ISO 3166-1, such as NO')
    await other.fill(code, 'IS')
    await says(other, code, 'Iceland already has this code')
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

  it('of the e-mail address at sign-in are told in French', async () => {
    const page = await open('', { language: 'fr' })
    const email = { role: 'textbox', name: 'Adresse e-mail' }
    // The browser takes it for an address, and the service does not.
    await page.fill(email, 'lecteur@localhost')
    await page.press('Enter')
    await page.find({ role: 'StaticText', name: 'Saisissez une adresse e-mail valide' })
    assert.equal((await page.find(email)).value, 'lecteur@localhost')
  })
})
