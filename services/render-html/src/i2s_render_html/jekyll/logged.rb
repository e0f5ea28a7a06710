# frozen_string_literal: true

# Keeps the warnings and errors that Jekyll logs while it builds a site.
module Logged
  MOST = 20
  # The start of a line that continues the message before it: Jekyll leaves its topic out.
  CONTINUED = (" " * 20).freeze
  # Logged for every site without a configuration.
  NO_FAULT = ["Configuration file: none"].freeze

  @messages = { :warn => [], :error => [] }

  class << self
    # Returns the messages of a site that was built, or was not: its errors are those that ended the build.
    def messages(built)
      built ? @messages.values.sum([]) : @messages[:warn]
    end

    def keep(level, line)
      list = @messages[level]
      text = line.dup.force_encoding("UTF-8").scrub
      if text.start_with?(CONTINUED) && !list.empty?
        list[-1] = "#{list[-1]} #{text.strip}"
      elsif list.size < MOST && !NO_FAULT.include?(text.strip)
        list << text.strip
      end
    end
  end

  # In front of the method by which Jekyll's logger writes every message.
  module Writing
    def write(level, *)
      written = super
      Logged.keep(level, messages.last) if written && [:warn, :error].include?(level)
      written
    end
  end

  Jekyll::LogAdapter.prepend(Writing)
end
