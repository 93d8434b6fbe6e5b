/**
 * What a sign-in mail says in each language we ship: a table, and nothing else.
 *
 * All address the reader politely. `opening` follows the code in one sentence, and names the service last but for the
 * full stop. `lifetime` has the duration where the language needs no case for it: Intl gives it in the nominative.
 */

export interface SignInTexts {
  readonly subject: string
  readonly opening: string
  readonly lifetime: string
  readonly advice: string
}

export const SIGN_IN_TEXTS: Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'ar', SignInTexts>> = {
  en: {
    subject: '{{code}} is your {{appName}} code',
    opening: 'is your code to sign in to {{appName}}.',
    lifetime: 'It can be used once and is valid for {{lifetime}}.',
    advice: 'If you did not ask for it, ignore this mail: without the code nobody can sign in.',
  },
  de: {
    subject: '{{code}} ist Ihr Code für {{appName}}',
    opening: 'ist Ihr Code für die Anmeldung bei {{appName}}.',
    lifetime: 'Er kann einmal verwendet werden und ist {{lifetime}} gültig.',
    advice:
      'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ohne den Code kann sich niemand anmelden.',
  },
  fr: {
    subject: '{{code}} est votre code {{appName}}',
    opening: 'est votre code de connexion à {{appName}}.',
    lifetime: 'Il ne sert qu’une seule fois et reste valable {{lifetime}}.',
    advice: 'Si vous ne l’avez pas demandé, ignorez cet e-mail\u00a0: sans ce code, personne ne peut se connecter.',
  },
  es: {
    subject: '{{code}} es su código de {{appName}}',
    opening: 'es su código para iniciar sesión en {{appName}}.',
    lifetime: 'Se puede usar una sola vez y es válido durante {{lifetime}}.',
    advice: 'Si no lo ha solicitado, ignore este correo: sin el código nadie puede iniciar sesión.',
  },
  ar: {
    subject: '{{code}} هو رمزك في {{appName}}',
    opening: 'هو رمز تسجيل دخولك إلى {{appName}}.',
    lifetime: 'يُستخدم الرمز مرة واحدة فقط، ومدة صلاحيته {{lifetime}}.',
    advice: 'إذا لم تطلب هذا الرمز، فتجاهل هذه الرسالة: لا يمكن لأحد تسجيل الدخول من دونه.',
  },
}
