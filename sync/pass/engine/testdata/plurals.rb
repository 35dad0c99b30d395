# Answers each line of standard input, a question in JSON, with the texts that Ruby's i18n prints for counts.
require 'json'
require 'yaml'
require 'i18n'
require 'i18n/backend/pluralization'

# As rails-i18n has them.
other = ->(_) { :other }
one_other = ->(n) { n == 1 ? :one : :other }
slavic = lambda do |n|
  if n % 10 == 1 && n % 100 != 11 then :one
  elsif [2, 3, 4].include?(n % 10) && ![12, 13, 14].include?(n % 100) then :few
  elsif n % 10 == 0 || (5..9).to_a.include?(n % 10) || (11..14).to_a.include?(n % 100) then :many
  else :other
  end
end
RULES = {
  'ar' => lambda do |n|
    case n
    when 0 then :zero
    when 1 then :one
    when 2 then :two
    else
      if (3..10).to_a.include?(n % 100) then :few
      elsif (11..99).to_a.include?(n % 100) then :many
      else :other
      end
    end
  end,
  'cs' => ->(n) { n == 1 ? :one : [2, 3, 4].include?(n) ? :few : :other },
  'cy' => ->(n) { { 0 => :zero, 1 => :one, 2 => :two, 3 => :few, 6 => :many }.fetch(n, :other) },
  'de' => one_other, 'pt-BR' => ->(n) { n && n >= 0 && n < 2 ? :one : :other },
  'fr' => ->(n) { n && n >= 0 && n < 2 ? :one : :other },
  'he' => ->(n) { n == 1 ? :one : n == 2 ? :two : :other },
  'ja' => other,
  'lt' => lambda do |n|
    if n % 10 == 1 && !(11..19).to_a.include?(n % 100) then :one
    elsif (2..9).to_a.include?(n % 10) && !(11..19).to_a.include?(n % 100) then :few
    else :other
    end
  end,
  'pl' => lambda do |n|
    if n == 1 then :one
    elsif [2, 3, 4].include?(n % 10) && ![12, 13, 14].include?(n % 100) then :few
    elsif [0, 1, 5, 6, 7, 8, 9].include?(n % 10) || [12, 13, 14].include?(n % 100) then :many
    else :other
    end
  end,
  'ru' => slavic,
  'sl' => lambda do |n|
    { 1 => :one, 2 => :two, 3 => :few, 4 => :few }.fetch(n % 100, :other)
  end,
}.freeze

$stdout.sync = true
while (line = $stdin.gets)
  question = JSON.parse(line)
  language = question['language']
  I18n.backend = Class.new(I18n::Backend::Simple) { include I18n::Backend::Pluralization }.new
  I18n.available_locales = [language.to_sym]
  I18n.backend.store_translations(language, YAML.safe_load(question['texts'])[language])
  I18n.backend.store_translations(language, i18n: { plural: { rule: RULES.fetch(language) } })
  printed = question['ask'].map do |key, _|
    question['counts'].map do |count|
      I18n.t(key, count: count, locale: language)
    rescue I18n::InvalidPluralizationData => e
      e.message
    end
  end
  puts JSON.generate(printed)
end
