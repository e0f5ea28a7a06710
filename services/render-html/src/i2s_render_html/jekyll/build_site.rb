# frozen_string_literal: true

# Builds one site with Jekyll, once, and ends.
#
#   ruby build_site.rb CHANNEL GEM…
#
# CHANNEL is the number of an open socket. The program loads everything that a site may need, writes one line of
# JSON with the version of Jekyll and of each GEM that is installed,
#
#   {"ready": true, "versions": {name: version}}
#
# and waits for another one:
#
#   {"source": folder, "destination": folder, "pins": {configuration that the site cannot change},
#    "pages": {what GitHub Pages has, see github_pages.rb}}
#
# It answers with a third one and ends:
#
#   {"built": true, "left_out": [text], "warnings": [text]}
#   {"built": false, "left_out": [text], "warnings": [text], "kind": class of the error, "message": text, "file": path, "line": number},
#   the last two may be null
#
# The folders are relative to the current one. Nothing of the site is run as code: Jekyll works in
# safe mode, its command line (which would load a Gemfile) has no part, and `require` finds only
# what lies on Ruby's own load path.

require_relative "deterministic"
require_relative "own_files"
require "json"
require "socket"
require "jekyll"
require "jekyll-sass-converter"
require "kramdown"
require "kramdown-parser-gfm"
require "rouge"
require "sassc"
require "tomlrb"
require_relative "github_pages"
require_relative "logged"

MESSAGE_LENGTH = 4000
NOT_NEEDED = [:WinTZ, :ThemeBuilder].freeze
WANTED_OF_KRAMDOWN = %w(
  Converter::Html Converter::Toc Converter::RemoveHtmlTags Parser::Kramdown Parser::GFM Parser::Html Utils::Entities
).freeze

# Of plugins: libraries with parts in C, whose own libraries cannot be read any more once the site is there.
OF_PLUGINS = %w(html/pipeline net/http openssl zlib).freeze

# Where plugins and themes lie that a site may name.
GEMS = Gem.path.map { |path| File.join(path, "gems") }.freeze

# What Jekyll and kramdown would load only once they need it.
def load_the_rest
  [Jekyll, Jekyll::Utils].each do |room|
    (room.constants - NOT_NEEDED).each { |name| room.const_get(name) }
  end
  WANTED_OF_KRAMDOWN.each { |name| Kramdown.const_get(name) }
  Kramdown::Converter.syntax_highlighter(:rouge)
  Kramdown::Converter.math_engine(:mathjax)
  SassC::Engine.new("a { b: c }", :syntax => :scss).render
  Jekyll::External.require_if_present(OF_PLUGINS)
end

def versions(gems)
  found = { "jekyll" => Jekyll::VERSION }
  gems.each do |name|
    specification = Gem::Specification.find_all_by_name(name).first
    found[name] = specification.version.to_s if specification
  end
  found
end

# Else the name "kramdown-math-/../../../site/evil", asked for by a configuration, is code of the site.
module InstalledCodeOnly
  private

  def require(name)
    path = name.respond_to?(:to_path) ? name.to_path : name
    if path.is_a?(String) && (path.split("/").include?("..") || path.start_with?(Dir.pwd))
      raise LoadError, "cannot load such file -- #{path}"
    end

    super
  end
end

# A template of kramdown is ERB, which is Ruby code. The configuration is pinned to none; this is the lock behind it.
module NoTemplates
  def apply_template(_converter, body)
    body
  end
end

# The parser of YAML does not say which file it was at.
module RememberedFile
  class << self
    attr_accessor :path
  end

  def read_data_file(path)
    RememberedFile.path = path
    super.tap { RememberedFile.path = nil }
  end

  def safe_load_file(path)
    RememberedFile.path = path
    super.tap { RememberedFile.path = nil }
  end
end

def same_times(folder)
  Dir.glob("#{folder}/**/*", File::FNM_DOTMATCH).each { |path| File.utime(EPOCH, EPOCH, path) }
end

def build(job)
  same_times(job.fetch("source"))
  places = { "source" => File.expand_path(job.fetch("source")),
             "destination" => File.expand_path(job.fetch("destination")), }
  configuration = Jekyll.configuration(job.fetch("pins").merge(places))
  RememberedFile.path = nil # a missing configuration is no fault
  GitHubPages.prepare(configuration, job.fetch("pages"))
  Jekyll::Site.new(configuration).process
  { "built" => true, **remarks(true) }
rescue SignalException
  raise
rescue Exception => e # an exit, an exhausted memory or stack is an answer too
  line = e.line_number if e.respond_to?(:line_number)
  line = e.line if e.is_a?(Psych::SyntaxError)
  message = e.message.to_s.dup.force_encoding("UTF-8").scrub[0, MESSAGE_LENGTH]
  file = RememberedFile.path
  {
    "built" => false, **remarks(false), "kind" => e.class.name, "message" => message, "file" => file, "line" => line,
  }
end

def remarks(built)
  { "left_out" => GitHubPages.warnings, "warnings" => Logged.messages(built) }
end

load_the_rest
channel = UNIXSocket.for_fd(Integer(ARGV.fetch(0)))
channel.write("#{JSON.generate("ready" => true, "versions" => versions(ARGV.drop(1)))}\n")
order = channel.gets
exit!(0) if order.nil? # not needed any more
OwnFiles.only([Dir.pwd, *$LOAD_PATH, *Gem::Specification.dirs, *GEMS, "/usr/share/zoneinfo", "/dev/urandom"])
Object.prepend(InstalledCodeOnly)
Kramdown::Converter::Base.singleton_class.prepend(NoTemplates)
Jekyll::DataReader.prepend(RememberedFile)
Jekyll::Configuration.prepend(RememberedFile)
result = build(JSON.parse(order))
$stdout.flush
channel.write("#{JSON.generate(result)}\n")
exit!(result["built"] ? 0 : 1)
